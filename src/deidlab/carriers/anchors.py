"""Names of places and styles within one container: what somebody called them may say who it is about."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Anchors:
    """The same new name for the same old one, in the order of first use."""

    prefix: str = "id"
    _new: dict[str, str] = field(default_factory=dict, repr=False)

    def of(self, name: str) -> str:
        return self._new.setdefault(name, f"{self.prefix}{len(self._new) + 1}")

    def each_of(self, names: str) -> str:
        """The same for names with white space between."""
        return " ".join(map(self.of, names.split()))
