"""How PHI is found, in; the detector that finds it so, out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deidlab.pipeline.run.sameness import check_mark
from deidlab.pipeline.settings import Finding

if TYPE_CHECKING:
    from deidlab.detect import Detector, DetectorSettings


def load_finding(finding: Finding) -> Detector:
    """The detector; a worker calls this once."""
    # Imported here: whoever only describes a run needs no detector.
    from deidlab.detect import DetectorSettings, KnownTable, read_terms
    from deidlab.systems.masking import load_detector

    check_mark(finding)
    known = None if finding.known is None else KnownTable.read(finding.known)
    allow, deny = (
        frozenset[str]() if path is None else frozenset(read_terms(path))
        for path in (finding.allow, finding.deny)
    )
    if finding.together:
        return _load_together(
            finding,
            DetectorSettings(
                known=known,
                allow=allow,
                deny=deny,
                labels=finding.labels,
                how=finding.how,
                language=finding.find_language(),
            ),
        )
    settings = DetectorSettings(
        rules=finding.rules,
        known=known,
        allow=allow,
        deny=deny,
        threshold=finding.threshold,
        labels=finding.labels,
        how=finding.how,
        language=finding.language,
        without_rules=finding.without_rules,
    )
    return load_detector(finding.own_model, settings, finding.device)


def _load_together(finding: Finding, settings: DetectorSettings) -> Detector:
    """Every system started, as `compare` asks it."""
    from deidlab.systems.process import Limits
    from deidlab.systems.together import load_together

    limits = Limits(start=finding.start_timeout, note=finding.timeout)
    return load_together(finding.find_members(), settings, limits, finding.allow_host)
