// Small pieces that every page uses: elements, messages, the theme button.

/** An element with properties, attributes (names with a dash or `role`), data and children. Text is never parsed. */
export function el(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "data") Object.assign(node.dataset, value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for" || name === "scope") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const find = (selector) => document.querySelector(selector);

/** Says something to a screen reader, without moving the focus. */
export function say(message) {
  const region = find("#said");
  if (!region) return;
  region.textContent = "";
  // A pause, so that the same sentence twice is read twice.
  setTimeout(() => (region.textContent = message), 30);
}

/** Shows a message for a while; a warning stays longer and is read at once. */
export function toast(message, warn = false) {
  const node = el("div", { className: warn ? "toast warn" : "toast", role: warn ? "alert" : null }, message);
  find("#toasts").append(node);
  setTimeout(() => node.remove(), warn ? 9000 : 3500);
}

const THEMES = ["system", "light", "dark"];

export function setUpTheme(button) {
  const root = document.documentElement;
  const show = () => {
    const theme = root.dataset.theme ?? "system";
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(root.dataset.theme ?? "system") + 1) % THEMES.length];
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    remember("theme", theme);
    show();
  });
  show();
}

/** A preference of this browser; never anything of a note. */
export function remember(name, value) {
  try {
    localStorage.setItem(`deidlab-${name}`, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

export function recall(name, otherwise) {
  try {
    return localStorage.getItem(`deidlab-${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export const percent = (value) => (value === null || value === undefined ? "–" : `${Math.round(value * 100)} %`);
export const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
