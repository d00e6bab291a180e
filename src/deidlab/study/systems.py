"""Other people's systems in, a row of each out: tested once, on the same notes and by the same measures.

Their labels are those of the study where a map knows them; what none knows is wrong by label and counts
otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

from deidlab.detect.folder import TaggerFacts
from deidlab.detect.naming import own_set
from deidlab.errors import DeidError
from deidlab.labels import AUTO
from deidlab.study.answers import Found, bare
from deidlab.study.rows import SYSTEM, Row
from deidlab.study.spec import ForeignSpec
from deidlab.systems.asking import Answers, ask_system
from deidlab.systems.naming import find_naming, hide_words
from deidlab.systems.opening import make_system
from deidlab.systems.process import Limits
from deidlab.systems.specification import read_specs
from deidlab.types import Document


def system_row(wanted: ForeignSpec, facts: TaggerFacts, notes: Mapping[str, list[Document]]) -> Row:
    """What the system finds in each part, in the labels of the study's models; or why it is left out."""
    (spec,) = read_specs([f"{wanted.name}={wanted.system}"], [wanted.python] if wanted.python else [])
    found: dict[str, Found] = {}
    remarks: dict[str, None] = {}
    try:
        for part, documents in notes.items():
            answers = ask_system(make_system(spec, Limits()), bare(documents))
            found[part] = _renamed(answers, documents, own_set(facts.tags), remarks)
            if answers.failures:
                remarks[f"it failed on {len(answers.failures)} {part} notes, which count as empty"] = None
    except DeidError as error:
        return Row(wanted.name, SYSTEM, {}, facts.words, note=f"left out: {error}")
    return Row(wanted.name, SYSTEM, found, facts.words, note="; ".join(remarks))


def _renamed(answers: Answers, documents: list[Document], scheme: str, remarks: dict[str, None]) -> Found:
    if scheme == AUTO:
        remarks["its labels stand as they are: the study's are of no shipped set"] = None
        return list(answers.spans)
    seen = {span.label for spans in answers.spans for span in spans}
    naming = find_naming(seen | set(answers.facts.labels), scheme, answers.facts.scheme)
    naming = hide_words(naming, (each.text for each in documents))
    said = {naming.names.get(label, label) for label in seen}
    if missing := sorted(said & set(naming.missing)):
        remarks[f"labels without a mapping: {', '.join(missing)}"] = None
    return [naming.rename(spans) for spans in answers.spans]
