"""What the routes under /v1 take and give, as JSON Schema sees it. Nothing here shows a note in its repr."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

from deidlab.web.style_names import StyleName

_NAME_CHARACTERS = 200
_LABEL = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"


def _whole_characters(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"half of a UTF-16 pair at offset {error.start} is not a character") from None
    return text


Text = Annotated[str, AfterValidator(_whole_characters)]
Name = Annotated[str, Field(max_length=_NAME_CHARACTERS), AfterValidator(_whole_characters)]
# Files name notes and patients by numbers too.
LineName = Annotated[Name, BeforeValidator(lambda name: str(name) if type(name) is int else name)]
Ids = Literal["keep", "pseudonyms"]


class _NoteRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True)

    text: Text = Field(repr=False, description="The note.")
    id: Name | None = Field(
        None, min_length=1, repr=False, description="Your name for the note, given back in the answer."
    )
    patient: Name | None = Field(
        None,
        min_length=1,
        repr=False,
        description="Whose note it is: known identifiers, date shifts and surrogates go by the patient. "
        "Without one, each note is a patient of its own: by its id, or by a new name where it has none.",
    )
    model: Name | None = Field(
        None, repr=False, description="A name from /v1/models; without one, the first of them."
    )


class MaskQuery(BaseModel):
    """What stands behind the `?` of an address: how what is sent is masked."""

    model_config = ConfigDict(hide_input_in_errors=True)

    model: str | None = Field(None, max_length=_NAME_CHARACTERS, description="A name from /v1/models.")
    style: StyleName | None = Field(None, description="Without one, the server's own.")
    policy: str | None = Field(None, max_length=_NAME_CHARACTERS, description="A name from /v1/models.")
    day_first: bool | None = Field(
        None, description="Read 3/4/2064 as the third of April; else as the model's language does."
    )


class BatchQuery(MaskQuery):
    """The same for /v1/batch: how all of its lines are worked on."""

    task: Literal["detect", "mask", "mask-given"] = Field(
        "mask", description="Find PHI, mask what is found, or mask the spans of each line."
    )
    ids: Ids = Field("keep", description="Ids and patients as they came, or pseudonyms of them.")


class GivenSpan(BaseModel):
    """A span that people marked."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True)

    start: int = Field(ge=0, le=2**53, description="First character, in Unicode code points from 0.")
    end: int = Field(ge=1, le=2**53, description="One past the last character.")
    label: str = Field(min_length=1, max_length=64, pattern=_LABEL, repr=False, examples=["DATE"])
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    source: Name | None = Field(None, repr=False)


class LineSpan(GivenSpan):
    """A span in a line of a batch; the text that it covers is checked."""

    text: str | None = Field(None, repr=False)


class Line(BaseModel):
    """A line of a batch, as `deidlab corpus convert` writes it; `meta` is let pass and not used."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True)

    text: Text = Field(repr=False)
    id: LineName | None = Field(None, repr=False)
    patient: LineName | None = Field(None, repr=False)
    spans: list[LineSpan] | None = Field(None, max_length=100_000, repr=False)
    meta: dict[str, Any] | None = Field(None, repr=False)


class DetectRequest(_NoteRequest):
    """A note in which PHI is to be found."""

    candidates: StrictBool = Field(False, description="Give also what gave way or was too uncertain.")
    words: StrictBool = Field(False, description="Give every word's PHI probability.")


class MaskRequest(_NoteRequest):
    """A note whose PHI is to be masked."""

    style: StyleName | None = Field(None, description="Without one, the server's own.")
    policy: Name | None = Field(
        None, repr=False, description="A name from /v1/models; without one, the server's own."
    )
    spans: list[GivenSpan] | None = Field(
        None, max_length=100_000, repr=False, description="Mask these, and detect nothing."
    )
    day_first: StrictBool | None = Field(
        None, description="Read 3/4/2064 as the third of April; without it, as the model's language does."
    )
    ids: Ids = Field("keep", description="Give back id and patient as they came, or pseudonyms of them.")


class FoundSpan(BaseModel):
    """A stretch of the note; offsets are in Unicode code points, the end is one past the last."""

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    label: str = Field(description="The PHI type.", examples=["DATE"])
    score: float | None = Field(None, ge=0, le=1, description="How certain; absent where people marked it.")
    source: str | None = Field(None, description="What found it.", examples=["rules:date"])


class Replacement(FoundSpan):
    """A span of the note, and where its replacement stands in the masked text."""

    masked_start: int = Field(ge=0)
    masked_end: int = Field(ge=0)


class DetectAnswer(BaseModel):
    """What was found in a note."""

    id: str
    patient: str
    model: str
    spans: list[FoundSpan] = Field(description="In order, never overlapping.")
    candidates: list[FoundSpan] | None = Field(
        None, description="All that was proposed; only when asked for."
    )
    words: list[tuple[int, int, float]] | None = Field(
        None, description="Start, end and PHI probability of every word; only when asked for."
    )


class MaskAnswer(BaseModel):
    """A note that can be shared, and what was replaced in it."""

    id: str
    patient: str
    text: str
    model: str | None = Field(description="null where spans were given.")
    style: StyleName
    policy: str
    replacements: list[Replacement] = Field(description="In order, with offsets before and after.")


class ModelAnswer(BaseModel):
    """A way of finding PHI."""

    name: str = Field(examples=["rules"])
    description: str
    default: bool
    labels: list[str] = Field(description="The PHI types it can find.")


class PolicyAnswer(BaseModel):
    """Which PHI types change, and how far."""

    name: str = Field(examples=["safe-harbor"])
    description: str
    default: bool


class ModelsAnswer(BaseModel):
    """What requests can name."""

    models: list[ModelAnswer]
    policies: list[PolicyAnswer]
    styles: list[StyleName]
    default_style: StyleName


class HealthAnswer(BaseModel):
    """The server is up and its workers are ready."""

    status: Literal["ok"] = "ok"
