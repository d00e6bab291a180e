"""A body of JSON lines in, one of JSON lines out, both under way at once and with little held in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from deidlab.execute import Failed
from deidlab.types import Document
from deidlab.web.batching import Batcher
from deidlab.web.jobs import Done, Job, TaskName
from deidlab.web.limits import too_slow
from deidlab.web.lines import BadLine, LineCutter, read_line
from deidlab.web.settings import Limits

_CHUNK_BYTES = 64 * 1024
# What a line costs in memory beside its own bytes.
_LINE_BYTES = 2048


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What a stream asks for, the same for all of its lines."""

    task: TaskName
    model: str
    style: str
    policy: str
    given: bool
    pseudonyms: bool
    day_first: bool

    def job(self, documents: tuple[Document, ...]) -> Job:
        return Job(
            self.task,
            self.model,
            documents,
            given=self.given,
            style=self.style,
            policy=self.policy,
            day_first=self.day_first,
            pseudonyms=self.pseudonyms,
            with_text=True,
        )


class Slots:
    """How many streams there may be at once."""

    def __init__(self, most: int) -> None:
        self._free = most

    def acquire(self) -> bool:
        if self._free == 0:
            return False
        self._free -= 1
        return True

    def release(self) -> None:
        self._free += 1


@dataclass(slots=True)
class _Unit:
    """Lines that are answered together: their job under way, or why there is none."""

    numbers: list[int]
    size: int
    answer: asyncio.Task[Done | Failed] | None = None
    bad: BadLine | None = None

    def lines(self) -> Iterator[bytes]:
        if self.bad is not None:
            for number in self.numbers:
                yield BadLine(number, self.bad.error, self.bad.message).to_json()
            return
        assert self.answer is not None
        answer = self.answer.result()
        if isinstance(answer, Done):
            yield from answer.objects
        else:
            yield from (BadLine(number, "cannot", answer.reason).to_json() for number in self.numbers)


@dataclass(slots=True)
class _Group:
    """Lines of one patient in a row, while more of them may come."""

    patient: str = ""
    numbers: list[int] = field(default_factory=list)
    notes: list[Document] = field(default_factory=list, repr=False)
    size: int = 0
    too_large: bool = False

    def add(self, number: int, note: Document, size: int, most: int) -> None:
        self.numbers.append(number)
        self.notes.append(note)
        self.size += size
        if self.size > most:
            # They fail together: masked apart, one person would have two names.
            self.too_large = True
            self.notes.clear()


class BatchStream(Response):
    """The answer to a batch; it reads the request's body itself."""

    def __init__(
        self, options: BatchOptions, batcher: Batcher, limits: Limits, slots: Slots, media_type: str
    ) -> None:
        super().__init__(media_type=media_type)
        # How long the body will be is not known.
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self._options, self._batcher, self._limits, self._slots = options, batcher, limits, slots
        self._units: deque[_Unit] = deque()
        self._held = 0
        self._moved = asyncio.Event()
        self._group = _Group()
        self._number = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reader = asyncio.create_task(self._read(receive))
        reader.add_done_callback(lambda _: self._moved.set())
        try:
            await self._write(send, reader)
        finally:
            self._slots.release()
            reader.cancel()
            for unit in self._units:
                if unit.answer is not None:
                    unit.answer.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await reader

    async def _read(self, receive: Receive) -> bool:
        """Take lines in as long as there is room for them; False where the client went away."""
        cutter = LineCutter(self._limits.body_bytes)
        more = True
        while more:
            while self._held > self._limits.batch_bytes:
                self._moved.clear()
                await self._moved.wait()
            try:
                async with asyncio.timeout(self._limits.stall_seconds):
                    message = await receive()
            except TimeoutError:
                raise too_slow(self._limits.stall_seconds) from None
            if message["type"] == "http.disconnect":
                return False
            more = message.get("more_body", False)
            lines = cutter.feed(message.get("body", b""))
            for line in lines if more else [*lines, *cutter.finish()]:
                self._take(line)
        self._close_group()
        return True

    def _take(self, line: bytes | None) -> None:
        self._number += 1
        number, most = self._number, self._limits.body_bytes
        if line is None:
            self._refuse([number], BadLine(number, "too-large", f"the line has more than {most:,} bytes"))
            return
        if not line.strip():
            return
        read = read_line(line, number, needs_spans=self._options.given)
        if isinstance(read, BadLine):
            self._refuse([number], read)
            return
        group, shared = self._group, read.patient
        if self._options.task == "detect" or not shared or shared != group.patient:
            self._close_group()
            group = self._group = _Group(shared)
        group.add(number, read.note, len(line) + _LINE_BYTES, self._limits.batch_bytes)
        if self._options.task == "detect" or not shared:
            self._close_group()

    def _close_group(self) -> None:
        """Have the lines that belong together answered."""
        group, self._group = self._group, _Group()
        if not group.numbers:
            return
        if group.too_large:
            message = f"a patient's notes in a row have more than {self._limits.batch_bytes:,} bytes"
            self._refuse(group.numbers, BadLine(group.numbers[0], "too-large", message))
            return
        job = self._options.job(tuple(group.notes))
        answer = asyncio.create_task(self._batcher.run(job, of_stream=True))
        answer.add_done_callback(lambda _: self._moved.set())
        self._add(_Unit(group.numbers, group.size, answer))

    def _refuse(self, numbers: list[int], bad: BadLine) -> None:
        self._close_group()
        self._add(_Unit(numbers, _LINE_BYTES * len(numbers), bad=bad))

    def _add(self, unit: _Unit) -> None:
        self._units.append(unit)
        self._held += unit.size
        self._moved.set()

    async def _write(self, send: Send, reader: asyncio.Task[bool]) -> None:
        started = False
        while self._units or not reader.done():
            chunk = self._ready_lines()
            if not chunk:
                self._moved.clear()
                await self._moved.wait()
                continue
            if not started:
                await self._start(send)
                started = True
            await self._send(send, chunk, more=True)
        if reader.result():
            if not started:
                await self._start(send)
            await self._send(send, b"", more=False)

    def _ready_lines(self) -> bytes:
        """The answers that are ready, as far as all before them are."""
        lines: list[bytes] = []
        size = 0
        while self._units and size < _CHUNK_BYTES:
            unit = self._units[0]
            if unit.answer is not None and not unit.answer.done():
                break
            self._units.popleft()
            self._held -= unit.size
            for line in unit.lines():
                lines.append(line)
                size += len(line)
        self._moved.set()
        return b"".join(line + b"\n" for line in lines)

    async def _start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

    async def _send(self, send: Send, chunk: bytes, more: bool) -> None:
        await send({"type": "http.response.body", "body": chunk, "more_body": more})
