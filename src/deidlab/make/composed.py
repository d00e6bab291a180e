"""The name of a rule in, a name put together from heads, stems and tails out.

The rules are those of `data/make/grammar/composed.txt`: houses of care, organisations, places, trades,
streets. A list would be learned by heart; what rules put together hardly ever comes twice.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from deidlab.make.grammar import Grammar, Slot
from deidlab.make.lists import stems, words
from deidlab.make.names import make_family_name, make_given_name
from deidlab.make.pen import Pen
from deidlab.make.reading import own_text
from deidlab.make.subjects import Town
from deidlab.make.towns import listed_towns


def compose(pen: Pen, rule: str) -> str:
    """A name of the rule, by a pen of its own: an article that awaits the next piece stays outside of it."""
    own = Pen(pen.chance, pen.cast)
    _rules().write(rule, own)
    return " ".join("".join(text for text, _ in own.take()).split())


@functools.cache
def _rules() -> Grammar:
    return Grammar(own_text("grammar", "composed.txt").splitlines(), _SLOTS)


def _slot(make: Callable[[Pen], str]) -> Slot:
    return lambda pen: pen.put(make(pen))


def _listed_town(pen: Pen) -> Town:
    return pen.pick(listed_towns(pen.cast.country))


_SAINTS = words("organisations_saints")
_TREES = words("places_trees")
_SLOTS: dict[str, Slot] = {
    "listed": _slot(lambda pen: pen.pick(stems())),
    "family": _slot(make_family_name),
    "given": _slot(make_given_name),
    "saint": _slot(lambda pen: pen.pick(_SAINTS)),
    "tree": _slot(lambda pen: pen.pick(_TREES)),
    "letter": _slot(lambda pen: pen.letters(1)),
    "listed.town": _slot(lambda pen: _listed_town(pen).name),
    "listed.region": _slot(lambda pen: _listed_town(pen).region_name),
}
