"""The routes of the review page: the page itself, notes, decisions, agreement, changes, export.

Notes are addressed by their number, never by id, and searches travel in bodies: an address ends up in logs.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi import Path as PathParameter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, JSONResponse, Response

from deidlab.errors import ConfigError, CorpusError
from deidlab.mask import known_styles
from deidlab.web.agreement import measure_agreement
from deidlab.web.agreement_merge import merge_layers
from deidlab.web.answers import Refusal
from deidlab.web.auth import current_reviewer
from deidlab.web.pages import show
from deidlab.web.review_changes import note_changes, summarise_changes
from deidlab.web.review_export import DownloadFormat, make_download, media_type, private_folder
from deidlab.web.review_mask import mask_state
from deidlab.web.review_models import (
    DecisionBody,
    ListBody,
    MaskedQuery,
    VersionBody,
    agreement_to_json,
    change_to_json,
    labels_to_json,
    state_to_json,
)
from deidlab.web.settings import ServeSettings
from deidlab.web.store import ReviewStore
from deidlab.web.store_notes import (
    Filter,
    allowed_labels,
    count_notes,
    finished_layers,
    list_notes,
    reviewers,
    used_labels,
)
from deidlab.web.store_rows import NoteState, NothingToUndoError, StaleError
from deidlab.web.store_schema import SHARED

_PAGES = {"": "review", "/agreement": "agreement", "/changes": "changes"}

router = APIRouter(prefix="/review")
Reviewer = Annotated[str, Depends(current_reviewer)]
Number = Annotated[int, PathParameter(ge=1, le=10**9)]


@dataclass(frozen=True, slots=True)
class ReviewDesk:
    """A review that a server offers, in `app.state.review`; `models` are retrained ones to compare with."""

    store: ReviewStore
    found_with: str = ""
    models: tuple[str, ...] = ()
    reasons: Mapping[str, str] | None = None
    """Why a note may leak, where what is open is the sample of a validation and not a corpus."""


def find_desk(request: Request) -> ReviewDesk:
    desk = getattr(request.app.state, "review", None)
    if not isinstance(desk, ReviewDesk):
        raise Refusal(404, "no-review", "no corpus is under review here: start `deidlab review CORPUS`")
    return desk


Desk = Annotated[ReviewDesk, Depends(find_desk)]


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Errors of the store as answers; none of them quotes a note."""
    try:
        yield
    except StaleError as error:
        raise Refusal(409, "stale", str(error)) from None
    except NothingToUndoError as error:
        raise Refusal(409, "nothing-to-undo", str(error)) from None
    except ConfigError as error:
        raise Refusal(422, "wrong-decision", str(error)) from None
    except CorpusError as error:
        raise Refusal(404, "not-found", str(error)) from None
    except sqlite3.Error:
        message = "the file of the review is busy, full or damaged; nothing was saved"
        raise Refusal(503, "no-store", message, {"Retry-After": "5"}) from None


@router.get("")
@router.get("/agreement")
@router.get("/changes")
def show_page(request: Request) -> Response:
    if getattr(request.app.state, "review", None) is None:
        return show("no-review", 404)
    return show(_PAGES[request.url.path.removeprefix("/review")])


@router.get("/api/corpus")
def show_corpus(request: Request, desk: Desk, reviewer: Reviewer) -> dict[str, Any]:
    settings: ServeSettings = request.app.state.settings
    return {
        "reviewer": reviewer,
        "logged_in": bool(settings.tokens),
        "reviewers": reviewers(desk.store),
        "counts": count_notes(desk.store, reviewer),
        "labels": labels_to_json(used_labels(desk.store)),
        "found_with": desk.found_with,
        "styles": known_styles(),
        "style": settings.style,
        "policies": settings.policy_names(),
        "policy": settings.policy,
        "models": desk.models,
        "reading": None if desk.reasons is None else dict(desk.reasons),
    }


@router.post("/api/notes")
def show_list(body: ListBody, desk: Desk, reviewer: Reviewer) -> dict[str, Any]:
    wanted = Filter(body.search, tuple(body.labels), body.low, body.high, body.which, body.order)
    with refusing():
        total, rows = list_notes(desk.store, wanted, reviewer, body.offset, body.limit)
        return {
            "total": total,
            "notes": [asdict(row) for row in rows],
            "counts": count_notes(desk.store, reviewer),
        }


def find_layer(desk: ReviewDesk, number: int, reviewer: str, settle: bool) -> str:
    """The layer that is meant; the shared one of a note reviewed twice only once two have finished it."""
    own = desk.store.layer_for(number, reviewer)
    if own == SHARED or not settle:
        return own
    if len(finished_layers(desk.store, number)) < 2:
        raise Refusal(409, "not-finished", "two reviewers have to finish this note before it can be settled")
    return SHARED


def answer_state(state: NoteState, settling: bool) -> Response:
    return JSONResponse(state_to_json(state, settling and state.twice))


@router.get("/api/notes/{number}")
def show_note(number: Number, desk: Desk, reviewer: Reviewer, settle: bool = False) -> Response:
    with refusing():
        state = desk.store.read_note(number, find_layer(desk, number, reviewer, settle))
        return answer_state(state, settle)


@router.post("/api/notes/{number}/decisions")
def take_decision(number: Number, body: DecisionBody, desk: Desk, reviewer: Reviewer) -> Response:
    with refusing():
        if body.label and body.label not in allowed_labels(desk.store):
            raise ConfigError("unknown label: neither the corpus nor the usual set has it")
        layer = find_layer(desk, number, reviewer, body.settle)
        state = desk.store.decide(number, layer, body.version, body.to_wish(), reviewer)
        return answer_state(state, body.settle)


@router.post("/api/notes/{number}/{way}")
def take_back(
    number: Number, way: Literal["undo", "redo"], body: VersionBody, desk: Desk, reviewer: Reviewer
) -> Response:
    with refusing():
        layer = find_layer(desk, number, reviewer, body.settle)
        state = desk.store.undo(number, layer, body.version, reviewer, redo=way == "redo")
        return answer_state(state, body.settle)


@router.post("/api/merge/{number}")
def merge_note(number: Number, body: VersionBody, desk: Desk, reviewer: Reviewer) -> Response:
    """Two finished reviews of a note become one set of marks, which then is settled."""
    with refusing():
        return answer_state(merge_layers(desk.store, number, body.version, reviewer), True)


@router.get("/api/notes/{number}/masked")
def show_masked(
    number: Number,
    request: Request,
    desk: Desk,
    reviewer: Reviewer,
    query: Annotated[MaskedQuery, Query()],
) -> dict[str, Any]:
    with refusing():
        state = desk.store.read_note(number, find_layer(desk, number, reviewer, query.settle))
        pieces = mask_state(desk.store, state, request.app.state.settings, query.style, query.policy)
        return {"version": state.version, "pieces": [asdict(piece) for piece in pieces]}


@router.get("/api/notes/{number}/changes")
def show_note_changes(
    number: Number, model: str, desk: Desk, reviewer: Reviewer, settle: bool = False
) -> dict[str, Any]:
    with refusing():
        state = desk.store.read_note(number, find_layer(desk, number, reviewer, settle))
        changes = note_changes(desk.store, state, _known_model(desk, model))
        return {
            "version": state.version,
            "known": changes is not None,
            "changes": [change_to_json(change) for change in changes or ()],
        }


@router.get("/api/changes")
def show_changes(model: str, desk: Desk) -> dict[str, Any]:
    with refusing():
        return summarise_changes(desk.store, _known_model(desk, model))


@router.get("/api/agreement")
def show_agreement(one: str, other: str, desk: Desk) -> dict[str, Any]:
    with refusing():
        known = reviewers(desk.store)
        if one not in known or other not in known:
            raise CorpusError("a reviewer of that name has not begun")
        return agreement_to_json(measure_agreement(desk.store, one, other))


@router.get("/api/export")
def export(desk: Desk, format: DownloadFormat = "jsonl", part: Literal["done", "all"] = "done") -> Response:
    stack = contextlib.ExitStack()
    try:
        folder = stack.enter_context(private_folder(desk.store))
        path = make_download(desk.store, folder, format, part)
    except CorpusError as error:
        stack.close()
        raise Refusal(409, "cannot-export", str(error)) from None
    except BaseException:
        stack.close()
        raise
    return FileResponse(
        path, media_type=media_type(format), filename=path.name, background=BackgroundTask(stack.close)
    )


def _known_model(desk: ReviewDesk, model: str) -> str:
    if model not in desk.models:
        raise ConfigError(f"no model of that name is compared; known: {', '.join(desk.models) or 'none'}")
    return model
