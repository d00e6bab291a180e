// The server counts code points, a browser counts UTF-16 units. They differ where a text has emoji and the like.

/** Both ways between the two for one text. */
export class Offsets {
  constructor(text) {
    this.text = text;
    this.plain = !/[\uD800-\uDBFF]/.test(text);
    if (this.plain) return;
    this.units = [];
    let unit = 0;
    for (const point of text) {
      this.units.push(unit);
      unit += point.length;
    }
    this.units.push(unit);
  }

  /** From code points to UTF-16 units. */
  toUnits(point) {
    return this.plain ? point : this.units[Math.min(point, this.units.length - 1)];
  }

  /** From UTF-16 units to code points; inside a pair, the pair's start counts. */
  toPoints(unit) {
    if (this.plain) return unit;
    let low = 0;
    let high = this.units.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.units[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Every word's first and last UTF-16 unit; what a selection by keys moves over. */
export function findWords(text) {
  return Array.from(text.matchAll(WORD), (match) => [match.index, match.index + match[0].length]);
}

/** A stretch without white space at its edges and with whole words at both ends; null where nothing is left. */
export function snap(text, start, end) {
  while (start < end && /\s/.test(text[start])) start += 1;
  while (end > start && /\s/.test(text[end - 1])) end -= 1;
  if (start === end) return null;
  const isWord = (at) => at >= 0 && at < text.length && /[\p{L}\p{M}\p{N}]/u.test(text[at]);
  while (isWord(start) && isWord(start - 1)) start -= 1;
  while (isWord(end - 1) && isWord(end)) end += 1;
  return [start, end];
}
