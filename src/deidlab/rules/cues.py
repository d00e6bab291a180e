"""The folder of a language in, the words that its rules go by out: `cues.toml` and everyday words."""

from __future__ import annotations

import functools

from deidlab.rules.folding import Cues, folded
from deidlab.rules.wordlists import read_table, read_words


class CueWords:
    """What one language's folder says; a list is read when it is first asked for."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.folded = functools.cache(self._folded)
        self.finder = functools.cache(self._finder)

    def words(self, name: str) -> tuple[str, ...]:
        """One list."""
        return tuple(read_table(self._folder, "cues.toml")[name])

    def table(self, name: str, file: str = "cues.toml") -> dict[str, tuple[str, ...]]:
        """Words by label."""
        return {label: tuple(words) for label, words in read_table(self._folder, file)[name].items()}

    def everyday(self) -> frozenset[str]:
        """Words that are used for something else than a name or place as a rule."""
        return read_words(self._folder, "everyday.txt")

    def _folded(self, name: str) -> frozenset[str]:
        """One list, folded and without spaces."""
        return frozenset(folded(word).replace(" ", "") for word in self.words(name))

    def _finder(self, name: str) -> tuple[Cues, dict[str, str]]:
        """A table to be found in one pass, and the label of each cue."""
        labels = {cue: label for label, cues in self.table(name).items() for cue in cues}
        return Cues(labels), labels
