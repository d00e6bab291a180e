"""The options of `deidlab mask` in, checked; what to read, find, mask and write out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.mask_options import MaskOptions
from deidlab.cli.options.finding import check_finding
from deidlab.cli.options.masking import refuse_unkept
from deidlab.cli.options.telling import tell_command
from deidlab.cli.output import tell
from deidlab.errors import UsageError
from deidlab.execute import Executor
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.jobs import Caller, MaskJob
from deidlab.pipeline.settings import Finding, SourceSettings

if TYPE_CHECKING:
    from deidlab.corpus.database_url import TablePlace


@dataclass(frozen=True, slots=True)
class MaskRequest:
    """The options, and what they come to: places, and how PHI is found."""

    options: MaskOptions
    source: SourceSettings
    out: Path
    sink: TablePlace | None
    finding: Finding

    @property
    def silent(self) -> bool:
        return self.options.answer.silent

    @property
    def spans(self) -> SourceSettings | None:
        """The corpus whose annotations are masked, where one is named."""
        path = self.options.spans
        return None if path is None else SourceSettings(path, reading=self.options.reading.files)

    def settings(self) -> tuple[MaskSettings, bool]:
        """How to mask, and whether that can be repeated."""
        return self.options.masking.settings(self.finding.find_language(), self.silent)

    def settings_to_write(self, ids_shown: bool, in_containers: bool) -> tuple[MaskSettings, bool]:
        """The same for a run that writes: codes that a later run would not find again are refused where
        somebody names a key file, who counts on finding them."""
        settings, repeatable = self.settings()
        needed = ids_shown or in_containers or settings.invents
        if needed:
            refuse_unkept(settings, repeatable, self.options.masking.key.key_file)
        return settings, repeatable

    def job(self, settings: MaskSettings, destination: Path, execute: Executor | None = None) -> MaskJob:
        """The work, but for what only the person at the terminal can say."""
        return MaskJob(
            source=self.source,
            destination=destination,
            finding=self.finding,
            settings=settings,
            writing=self.options.writing,
            spans=self.spans,
            workers=self.options.engine.count,
            overwrite=self.options.overwriting.overwrite,
            sink=self.sink,
            append=self.options.to_table.append,
            caller=Caller(self.options.operator, tell_command("deidlab mask", self.options)),
            execute=execute,
        )


def read_request(options: MaskOptions) -> MaskRequest:
    """What the options ask for; wrong usage is refused here."""
    if not (options.out or options.dry_run or options.planning.plan):
        raise typer.BadParameter("say where to write with --out DST, or count with --dry-run")
    rows = options.from_table.find_source(options.source)
    sink = options.to_table.find_target(options.out)
    source = options.reading.source(Path(options.source) if rows is None else rows.stand_in, rows)
    out = Path(options.out) if sink is None else options.to_table.run_path(sink)
    check_finding(options.finding)
    return MaskRequest(options, source, out, sink, options.engine.settle_device(options.finding))


def hold_recall(request: MaskRequest) -> MaskRequest:
    """The same with the threshold that holds the recall which the policy wants, where it wants one."""
    options, finding = request.options, request.finding
    policy = load_policy(options.masking.policy)
    # Spans that people gave are masked as they are: nothing is found, so nothing can be missed.
    if not policy.wanted_recalls or options.spans is not None:
        return request
    if finding.threshold is not None:
        raise UsageError(f"policy {policy.name} wants a recall, which decides the threshold: no --threshold")
    from deidlab.pipeline.calibrating import promise_recall

    promise = promise_recall(policy, finding, options.calibration)
    recalls = "; ".join(f"{recall:g} of {labels}" for labels, recall in promise.recalls.items())
    tell(
        f"threshold {promise.threshold:.4g}: holds the wanted recall ({recalls}) for notes like the "
        f"calibration's, {promise.confidence:.0%} sure ({count_of(promise.n_units, promise.unit)})",
        request.silent,
    )
    return replace(request, finding=replace(finding, threshold=promise.threshold))


def count_of(count: int, what: str) -> str:
    """So many of them, with the ending that goes with it."""
    return f"{count} {what}{'' if count == 1 else 's'}"
