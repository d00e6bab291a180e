"""French text in, hospitals, health centres, schools and firms out, by the word their names begin with."""

from __future__ import annotations

import re

from deidlab.languages.fr.rules.words import PLAIN, cue_table, cue_words, cues_of, word_list_of
from deidlab.rules.openings import Openings
from deidlab.rules.person import LOWER, UPPER, WORD, capital_starts, fold_word
from deidlab.types import Span

SOURCE = "rules:organisation"
_JOINTS = r"(?:(?:(?:de la|de|du|des|la|le|les|et|en|à|au|aux|sur|DE|DU|DES|LA|LE) )|(?:de )?[dDlL]['’]){0,3}"
_GENERAL = (
    r"(?:universitaires?|régional(?:e|aux)?|général(?:e|aux)?|intercommunal|départemental|spécialisée?|"
    r"psychiatrique|"
    r"privée?|militaire|pédiatrique|locale?|public|publique|national(?:e)?|médico-chirurgicale?|"
    r"hospitali[eè]re?s?|"
    r"primaire|secondaire|élémentaire|maternelle|vétérinaire|dentaire|médicale?|de district|de référence|"
    r"mutualiste)"
)
_REST = re.compile(
    rf"(?: {_GENERAL}){{0,3}} {_JOINTS}[\"«“]?[ ]?(?:{PLAIN}|[IVX]+|\d{{1,2}}(?= {PLAIN}))"
    rf"(?:(?:[ -]|['’]){_JOINTS}(?:{PLAIN})){{0,5}}[ ]?[\"»”]?"
)
_LABELS = "|".join(re.escape(word) for word in cue_table("told")["ORGANIZATION"])
_TOLD = re.compile(
    rf"(?<!\w)(?i:{_LABELS})[ \t]{{0,2}}[:|][ \t]{{1,16}}"
    rf"(?P<it>{PLAIN}(?:(?: |-| & | et | de la | de | du | des | d['’])(?:{PLAIN})){{0,5}})"
)
_BODY, _HOUSE = ("|".join(map(re.escape, cue_words(name))) for name in ("bodies", "hospital_bodies"))
_BODIES = re.compile(rf"(?<![\w-])(?:{_BODY})(?![\w-])")
_HOUSES = re.compile(rf"(?<![\w-])(?:{_HOUSE})(?![\w-])")
_FIRM = re.compile(
    rf"(?<!\w)(?:{WORD}(?: (?:& |et )?{WORD}){{0,3}}) (?:S\.?A\.?S?|SARL|S\.?à\.?r\.?l\.?|SPRL|inc\.|ltée|"
    rf"Ltée|SNC|GmbH)(?!\w)"
)
_FIRM_SIGN = re.compile(r" (?:S\.?A|SARL|S\.?à|SPRL|inc\.|[lL]tée|SNC|GmbH)")


def _starts_of_firms(text: str) -> list[int]:
    """Capitals, where what kind of firm it is stands in the text at all."""
    return capital_starts(text) if _FIRM_SIGN.search(text) else []


_OPENINGS = Openings((_BODIES, _BODY), (_HOUSES, _HOUSE), (_FIRM, _starts_of_firms), (_TOLD, _LABELS))
# What each of them finds, and how surely.
_KINDS = (("ORGANIZATION", 0.8), ("HOSPITAL", 0.7), ("ORGANIZATION", 0.8), ("ORGANIZATION", 0.75))
_WORD = re.compile(rf"[{UPPER}{LOWER}]+|\d+")
_SCOPE = re.compile(r"\b(?:du|au|le|la|les|l['’]|un|une|de|d['’]|à) ?$", re.IGNORECASE)


def find(text: str) -> list[Span]:
    """Every head with a name behind it that says more than what kind of house it is.

    Hospitals and the like are named after a head in small letters too: `l'hôpital de Chicoutimi`.
    """
    finder, labels = cues_of("heads")
    spans = []
    for start, end, head in finder.find(text):
        capital = text[start].isupper()
        rest = _REST.match(text, end)
        if rest is None or not (
            capital or (len(head) > 4 and (labels[head] == "HOSPITAL" or head in _SMALL_HEADS))
        ):
            continue
        stop = _last_word(text, rest)
        if stop is not None:
            spans.append(Span(start, stop, labels[head], 0.86, SOURCE))
    for number, match in _OPENINGS.find(text):
        spans.append(Span(*match.span(match.lastgroup or 0), *_KINDS[number], SOURCE))
    return spans


_SMALL_HEADS = frozenset(cue_words("small_heads"))


def _last_word(text: str, rest: re.Match[str]) -> int | None:
    """The end of the last word before one that no name has; None if the words before it are all general."""
    stop, telling = None, False
    for word in _WORD.finditer(text, rest.start(), rest.end()):
        plain = fold_word(word.group())
        if plain in word_list_of("house_ends"):
            break
        if word.group()[0].islower():
            continue
        telling |= plain not in word_list_of("general")
        stop = word.end()
    return stop if telling else None
