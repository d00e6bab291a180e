"""Towns, states, postcodes and other places: what lay together lies together again, somewhere else."""

from __future__ import annotations

import re
from dataclasses import replace

from deidlab.banks import Place
from deidlab.mask.base_labels import base_label
from deidlab.mask.mention import Mention
from deidlab.mask.shapes import another, like_case, scramble
from deidlab.mask.surrogate import Surrogate, register
from deidlab.mask.surrogates.organisations import make_organisation

_BESIDE = 30
_CODE_AND_TOWN = re.compile(r"(\d{5})([\s,.-]+)([^\W\d_][^\d]*)")


def make_city(mention: Mention) -> str:
    own = mention.group()
    if mention.language.places.territories and own and _follows_a_place(mention):
        return like_words(mention.text, _main_place(mention, own).region_name)
    return _new_town(mention, own)


def make_state(mention: Mention) -> str:
    own = mention.group()
    town = _town_before(mention) if not own else None
    place = town or _main_place(mention, own)
    return _region_like(mention.text, place.region, place.region_name)


def make_postcode(mention: Mention) -> str:
    place = _town_before(mention) or _main_place(mention, mention.group())
    return _postcode(mention, place.postcode)


def make_other(mention: Mention) -> str:
    """A place of any kind: a postcode, one with its town, a country's part, or the name of a building."""
    if sum(c.isdecimal() for c in mention.text) >= 3:
        parts = _CODE_AND_TOWN.fullmatch(mention.text)
        return _code_and_town(mention, *parts.groups()) if parts else make_postcode(mention)
    if not mention.group() and not mention.language.places.territories:
        return make_organisation(mention)
    return make_city(mention)


def _main_place(mention: Mention, own: bytes) -> Place:
    """The main town of the region that the text belongs to now."""
    places = mention.plan.places
    return places.main(places.group(mention.plan.mention(mention.text), own, mention.language))


def _new_town(mention: Mention, own: bytes) -> str:
    digest = mention.plan.mention(mention.text)
    return like_words(mention.text, mention.plan.places.town(digest, own, mention.language).town)


def _code_and_town(mention: Mention, code: str, gap: str, town: str) -> str:
    """`28046 Madrid`: the town is another one, and the postcode is that one's."""
    named = replace(mention, text=town)
    place = mention.plan.places.town(mention.plan.mention(town), named.group(), mention.language)
    return _postcode(replace(mention, text=code), place.postcode) + gap + like_words(town, place.town)


def _follows_a_place(mention: Mention) -> bool:
    """Whether a town stands right before, so that this is what it lies in."""
    near = mention.note.neighbour(mention.span)
    return (
        near is not None
        and base_label(near.label) in ("CITY", "LOCATION-OTHER")
        and mention.note.text[near.end : mention.span.start].strip() in (",", "(", "/")
    )


def _town_before(mention: Mention) -> Place | None:
    """The new place of the town written right before the span, with no more than a state between them."""
    note, back = mention.note, 1
    while near := note.neighbour(mention.span, back):
        if mention.span.start - near.end > _BESIDE:
            return None
        if base_label(near.label) == "CITY":
            text = note.text[near.start : near.end]
            group = mention.group_of(text, "CITY")
            return mention.plan.places.town(mention.plan.mention(text), group, mention.language)
        if base_label(near.label) != "STATE":
            return None
        back += 1
    return None


def _postcode(mention: Mention, start: str) -> str:
    """The new place's first characters, then others of the same shape."""
    stream, text = mention.stream, mention.text
    lead = len(text) - len(text.lstrip())
    head = text[lead : lead + len(start)]
    if len(text.strip()) <= len(start) or [c.isalpha() for c in head] != [c.isalpha() for c in start]:
        return another(stream, text)
    body = text[lead + len(start) :]
    new = scramble(stream, body)
    return text[:lead] + start + (new if head != start or new != body else another(stream, body))


def like_words(old: str, new: str) -> str:
    return new.upper() if old.isupper() and len(old) > 1 else new.lower() if old.islower() else new


def _region_like(old: str, code: str, name: str) -> str:
    """A region's code for a code, its name for a name."""
    bare = old.replace(".", "").strip()
    if len(bare) <= 3 and bare.isupper() and len(code) <= 3:
        return ".".join(code) + "." if "." in old else code
    return like_case(old, name) if " " not in name else like_words(old, name)


CITY = register(Surrogate(("CITY",), make_city))
STATE = register(Surrogate(("STATE",), make_state))
ZIP = register(Surrogate(("ZIP",), make_postcode))
OTHER = register(Surrogate(("LOCATION-OTHER",), make_other))
