"""What a person sees while a study runs: a live table at a terminal, a line a run elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from deidlab.cli.output import tell

if TYPE_CHECKING:
    from deidlab.study.running import Snapshot
    from deidlab.study.spec import StudySpec

_EVERY = 0.5


class Watcher:
    """Shows snapshots of a study."""

    def __init__(self, spec: StudySpec, quiet: bool) -> None:
        self._spec, self._quiet = spec, quiet
        self._live: Any = None
        self._shown = 0.0
        self._told: set[str] = set()

    def __enter__(self) -> Watcher:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def show(self, snapshot: Snapshot) -> None:
        if self._live is not None:
            if time.monotonic() - self._shown > _EVERY:
                self._shown = time.monotonic()
                self._live.update(self._table(snapshot), refresh=True)
            return
        open_runs = {run.id for job in (*snapshot.running, *snapshot.waiting) for run in job.runs}
        total = len(open_runs | set(snapshot.completions))
        for run in snapshot.ended:
            done = snapshot.completions.get(run)
            if done is None or run in self._told:
                continue
            self._told.add(run)
            what = f"validation F1 {done.f1 or 0:.4f}" if done.is_done else f"failed: {done.error}"
            tell(f"{len(snapshot.completions)}/{total} {run}: {what} ({done.seconds:.1f} s)", self._quiet)

    def _table(self, snapshot: Snapshot) -> Any:
        from rich.table import Table

        from deidlab.study.progress import describe_models, seconds_left

        left = seconds_left(snapshot)
        title = f"{self._spec.name}: {snapshot.stage}, {_time(left)} left, {snapshot.n_workers} processes"
        table = Table(title=title, title_justify="left")
        for name in ("model", "done", "failed", "now", "best F1", "time spent"):
            table.add_column(name, justify="left" if name in ("model", "now") else "right")
        for row in describe_models(self._spec, snapshot):
            best = "–" if row.best is None else f"{row.best:.4f}"
            table.add_row(
                row.model, f"{row.done}/{row.total}", str(row.failed), row.now, best, _time(row.seconds)
            )
        return table


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "an unknown time"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
