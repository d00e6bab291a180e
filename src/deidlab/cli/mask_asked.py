"""The options of `deidlab mask`, put together, and the threshold that a policy's wanted recall asks for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from deidlab import languages
from deidlab.cli.engine import Engine
from deidlab.cli.mask_secrets import find_key
from deidlab.cli.output import tell
from deidlab.errors import UsageError
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.settings import Finding, SourceSettings, Writing

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace
    from deidlab.mask.policy import Style


@dataclass(frozen=True, slots=True)
class Asked:
    """The command's options, checked one by one."""

    source: SourceSettings
    out: Path
    finding: Finding
    style: str
    policy: str
    day_first: bool
    key_file: Path | None
    writing: Writing
    spans: SourceSettings | None
    map_file: Path | None
    failures: Path | None
    workers: int
    overwrite: bool
    as_json: bool
    quiet: bool
    calibration: Path | None = None
    redact_mark: str | None = None
    sink: TablePlace | None = None
    append: bool = False
    engine: Engine = field(default_factory=Engine)

    @property
    def silent(self) -> bool:
        return self.quiet or self.as_json

    def settings(self) -> tuple[MaskSettings, bool]:
        """How to mask, and whether that can be repeated."""
        policy = load_policy(self.policy)
        key, repeatable = find_key(self.key_file, self.silent)
        style = cast("Style", self.style)
        language = self.finding.find_language()
        settings = MaskSettings(
            policy, style, key, self.redact_mark, self.day_first or languages.of(language).day_first, language
        )
        return settings, repeatable


def hold_recall(asked: Asked) -> Asked:
    """The same with the threshold that holds the recall which the policy wants, where it wants one."""
    policy = load_policy(asked.policy)
    # Spans that people gave are masked as they are: nothing is found, so nothing can be missed.
    if not policy.wanted_recalls or asked.spans is not None:
        return asked
    if asked.finding.threshold is not None:
        raise UsageError(f"policy {policy.name} wants a recall, which decides the threshold: no --threshold")
    from deidlab.pipeline.calibrating import promise_recall

    promise = promise_recall(policy, asked.finding, asked.calibration)
    recalls = "; ".join(f"{recall:g} of {labels}" for labels, recall in promise.recalls.items())
    tell(
        f"threshold {promise.threshold:.4g}: holds the wanted recall ({recalls}) for notes like the "
        f"calibration's, {promise.confidence:.0%} sure ({count_of(promise.n_units, promise.unit)})",
        asked.silent,
    )
    return replace(asked, finding=replace(asked.finding, threshold=promise.threshold))


def count_of(count: int, what: str) -> str:
    """So many of them, with the ending that goes with it."""
    return f"{count} {what}{'' if count == 1 else 's'}"
