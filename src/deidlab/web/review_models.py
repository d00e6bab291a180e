"""What the review page and its server say to each other, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deidlab.labels import load_label_set, usual_group
from deidlab.types import Counts
from deidlab.web.agreement import Agreement
from deidlab.web.api_models import Text
from deidlab.web.review_changes import ModelChange
from deidlab.web.store_marks import Kind, Wish
from deidlab.web.store_rows import NoteState
from deidlab.web.style_names import StyleName

_MOST_MARKS = 100_000
Label = Annotated[Text, Field(max_length=64)]


class Body(BaseModel):
    """A request; a field that nobody knows is an error."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class MaskedQuery(BaseModel):
    """How a note is to be shown masked, and whether it is the shared one of a note reviewed twice."""

    model_config = ConfigDict(hide_input_in_errors=True)

    style: StyleName = "tag"
    policy: str = "i2b2"
    settle: bool = False


class ListBody(Body):
    """Which notes to list. In a body, not an address: what people search for is often a name."""

    search: Text = Field("", max_length=200, repr=False)
    labels: list[Label] = Field(default_factory=list, max_length=100)
    low: float = Field(0.0, ge=0.0, le=1.0)
    high: float = Field(1.0, ge=0.0, le=1.0)
    which: Literal["all", "open", "done"] = "all"
    order: Literal["need", "corpus"] = "need"
    offset: int = Field(0, ge=0, le=10**9)
    limit: int = Field(50, ge=1, le=200)


class VersionBody(Body):
    """What a change is based on; `settle` means the shared layer of a note that two people reviewed."""

    version: int = Field(ge=0, le=10**9)
    settle: bool = False


class DecisionBody(VersionBody):
    """One decision."""

    kind: Kind
    marks: list[int] = Field(default_factory=list, max_length=_MOST_MARKS)
    label: Label = ""
    start: int = Field(0, ge=0, le=10**9)
    end: int = Field(0, ge=0, le=10**9)
    everywhere: bool = False

    def to_wish(self) -> Wish:
        return Wish(self.kind, tuple(self.marks), self.label, self.start, self.end, self.everywhere)


def state_to_json(state: NoteState, settling: bool = False) -> dict[str, Any]:
    return {
        "number": state.number,
        "id": state.document.id,
        "patient": state.document.patient,
        "text": state.document.text,
        "version": state.version,
        "done": state.done,
        "changed_by": state.changed_by,
        "twice": state.twice,
        "settling": settling,
        "marks": [mark.to_json() for mark in state.marks],
    }


def labels_to_json(used: list[str]) -> list[dict[str, str | bool]]:
    """The labels to choose from: those of the corpus, then the rest of the usual ones."""
    names = dict.fromkeys((*used, *load_label_set("i2b2-2014").labels))
    return [{"name": name, "group": usual_group(name), "used": name in used} for name in names]


def change_to_json(change: ModelChange) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "mark": change.mark.to_json() if change.mark else None,
        "span": asdict(change.span) if change.span else None,
    }


def agreement_to_json(found: Agreement) -> dict[str, Any]:
    return {
        "one": found.one,
        "other": found.other,
        "notes": found.n_notes,
        "words": found.n_words,
        "agreed_words": found.agreed_words,
        "kappa": found.kappa,
        "kappa_phi": found.kappa_phi,
        "f1": found.strict.f1,
        "f1_overlap": found.overlap.f1,
        "labels": [
            {"label": row.label, "kappa": row.kappa, "f1": row.strict.f1} | _sides(row.strict)
            for row in found.labels
        ],
        "differing": [{"number": number, "id": id, "differences": n} for number, id, n in found.differing],
    }


def _sides(counts: Counts) -> dict[str, int]:
    """How many spans both marked alike, only the one, only the other."""
    return {"both": counts.tp, "only_one": counts.fn, "only_other": counts.fp}
