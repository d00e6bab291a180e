"""The other end of a process: one adapter's file and its settings in, a system that speaks JSON lines out.

    PYTHON worker.py ADAPTER.py '{"argument": "…"}'
    PYTHON worker.py ADAPTER.py                          only the versions of its packages

It runs under whichever Python has the adapter's library, with or without DeidLab, from 3.8 on; so it imports
the standard library alone. Whatever the library prints goes to standard error, never between the answers.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any


def main() -> None:
    adapter = sys.argv[1]
    # This folder's own names must not hide a library's.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if os.path.abspath(place or os.curdir) != here]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)

    def say(table: dict[str, Any]) -> None:
        answers.write(json.dumps(table) + "\n")
        answers.flush()

    if len(sys.argv) == 2:
        say({"versions": read_versions(_load(adapter).PACKAGES)})
        return
    try:
        opened = _load(adapter).open_system(json.loads(sys.argv[2]))
    except ImportError:
        say({"ready": False, "missing": True})
        return
    except Exception as error:
        own = any(kind.__name__ == "DeidError" for kind in type(error).__mro__)
        # Our own messages quote nothing; of others only the kind is told.
        say(
            {"ready": False, "message": str(error)}
            if own
            else {"ready": False, "error": type(error).__name__}
        )
        return
    find: Callable[[str], dict[str, Any]] = opened.pop("find")
    packages = opened.pop("packages", [])
    files = opened.pop("files", [])
    versions, size = describe_packages(packages)
    facts = {"ready": True, "versions": versions, "bytes": size + sum(map(size_of, files))}
    facts.update(opened)
    say(facts)
    for line in sys.stdin.buffer:
        question = json.loads(line.decode("utf-8"))
        try:
            answer = find(question["text"])
        except Exception as error:
            answer = {"error": type(error).__name__}
        answer["id"] = question["id"]
        say(answer)


def _load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("adapter", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def describe_packages(names: list[str]) -> Any:
    """The versions of these packages, and the bytes of them and all that they need, as they are installed."""
    from importlib import metadata

    size = 0
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        size += sum(_size(str(found.locate_file(each))) for each in found.files or ())
        waiting += list(_needed(found.requires or ()))
    return read_versions(names), size


def read_versions(names: list[str]) -> dict[str, str]:
    """Of those that are installed."""
    from importlib import metadata

    versions: dict[str, str] = {}
    for name in names:
        try:
            versions[name.lower().replace("_", "-")] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _needed(requirements: Any) -> Iterator[str]:
    """The names of requirements that belong to no extra."""
    for each in requirements:
        if "extra" not in each.partition(";")[2]:
            name = ""
            for mark in each.strip():
                if not (mark.isalnum() or mark in "-_."):
                    break
                name += mark
            yield name


def size_of(place: str) -> int:
    """The bytes of a file or of all in a folder."""
    if os.path.isfile(place):
        return _size(place)
    return sum(_size(os.path.join(folder, name)) for folder, _, names in os.walk(place) for name in names)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


if __name__ == "__main__":
    main()
