"""A command in, a system that is asked over its standard input and output out: one line of JSON each way.

A process that crashes, hangs or loses step is ended, and started again for the next note. Its standard error
is thrown away: libraries quote what they are given.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deidlab.errors import ConfigError
from deidlab.systems.contract import (
    MAX_ANSWER_BYTES,
    Answer,
    SystemFacts,
    SystemFailure,
    is_label,
    parse_object,
    read_answer,
    read_facts,
    write_question,
)
from deidlab.systems.usage import Usage, read_usage

# After so many failures of the process in a row, the remaining notes are not tried.
_PATIENCE = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a system has to start and for a note, and the cores that it gets (0: all)."""

    start: float = 300.0
    note: float = 60.0
    cores: int = 0


@dataclass(slots=True)
class ProcessSystem:
    """A system in a process of its own; `greets` says that its first line tells of it before it is asked."""

    command: Sequence[str]
    limits: Limits
    greets: bool = False
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    hint: str = ""
    facts: SystemFacts = field(default_factory=SystemFacts)
    _process: subprocess.Popen[bytes] | None = None
    _left_over: bytes = field(default=b"", repr=False)
    _number: int = 0
    _failures: int = 0
    _answered: bool = False
    _past: Usage = field(default_factory=Usage)

    def open(self) -> None:
        """Start it; one that greets is waited for."""
        environment = os.environ | dict(self.environment)
        if self.limits.cores:
            threads = str(self.limits.cores)
            environment |= dict.fromkeys(
                ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads
            )
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ConfigError(f"{self.command[0]}: {error.strerror or 'cannot be started'}") from None
        pin_to_cores(self._process.pid, self.limits.cores)
        self._left_over, self._answered = b"", False
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        if self.greets:
            self._meet(parse_object(self._exchange(b"", self.limits.start)))

    def _meet(self, table: Mapping[str, Any]) -> None:
        if table.get("ready") is not True:
            self.close()
            said = table.get("message")
            if isinstance(said, str):
                raise ConfigError(said)
            if table.get("missing"):
                raise ConfigError(f"not installed here: {self.hint}")
            kind = str(table.get("error", ""))
            raise ConfigError(f"it ended with {kind}" if kind.isidentifier() else "it gave no reason")
        self.facts = read_facts(table)

    def find(self, text: str) -> Answer:
        """What it finds in one text."""
        check_patience(self._failures)
        try:
            if self._process is None:
                self.open()
            self._number += 1
            # A program that does not greet may still be starting when it is first asked.
            seconds = self.limits.note + (0.0 if self.greets or self._answered else self.limits.start)
            table = parse_object(self._exchange(write_question(self._number, text), seconds))
            if "ready" in table:
                # A system may greet though nobody waited for it.
                self._meet(table)
                table = parse_object(self._exchange(b"", self.limits.note))
            answer = self._read(table, text)
        except SystemFailure as failure:
            if failure.fatal:
                self._failures += 1
                self.close()
            raise
        self._failures = 0
        return answer

    def _read(self, table: Mapping[str, Any], text: str) -> Answer:
        self._answered = True
        kind = table.get("error")
        if self.greets and isinstance(kind, str) and kind.isidentifier() and is_label(kind):
            # Our own adapters tell the class of an exception, never its words.
            raise SystemFailure(f"said that it failed ({kind})")
        return read_answer(table, self._number, text)

    def _exchange(self, question: bytes, seconds: float) -> bytes:
        """Write the question, and read one line."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            if question:
                waiting.register(process.stdin, selectors.EVENT_WRITE)
            while b"\n" not in self._left_over:
                ready = waiting.select(max(0.0, until - time.monotonic()))
                if not ready:
                    raise SystemFailure(f"took longer than {seconds:g} seconds", fatal=True)
                for key, _ in ready:
                    if key.fileobj is process.stdin:
                        question = self._write(question)
                        if not question:
                            waiting.unregister(process.stdin)
                    else:
                        self._take_in()
        line, _, self._left_over = self._left_over.partition(b"\n")
        if question:
            # It answered before it had read the question: that is an answer to something else.
            raise SystemFailure("answered another question than was asked", fatal=True)
        return line

    def _write(self, question: bytes) -> bytes:
        assert self._process is not None and self._process.stdin is not None
        try:
            done = os.write(self._process.stdin.fileno(), question[:65536])
        except BlockingIOError:
            return question
        except OSError:
            raise SystemFailure("crashed", fatal=True) from None
        return question[done:]

    def _take_in(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        part = os.read(self._process.stdout.fileno(), 1 << 20)
        if not part:
            raise SystemFailure("crashed", fatal=True)
        self._left_over += part
        if len(self._left_over) > MAX_ANSWER_BYTES:
            raise SystemFailure("answered without end", fatal=True)

    @property
    def usage(self) -> Usage:
        """Processor seconds and peak memory so far, of all processes that were started for it."""
        return self._past + (Usage() if self._process is None else read_usage(self._process.pid))

    def close(self) -> None:
        """End the process and whatever it started."""
        process, self._process = self._process, None
        if process is None:
            return
        self._past += read_usage(process.pid)
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
        # Its group may outlive it; ids are not given anew while the group lives.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def check_patience(failures: int) -> None:
    """Not every note has to wait for what failed on the last ones."""
    if failures >= _PATIENCE:
        raise SystemFailure(f"given up after {_PATIENCE} failures in a row")


def pin_to_cores(pid: int, cores: int) -> None:
    """Let a process and what it starts use only so many cores, where the system can do that."""
    if cores and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(pid, sorted(os.sched_getaffinity(0))[:cores])
