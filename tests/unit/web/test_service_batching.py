"""Jobs to workers: handfuls, turns, and workers that fail, die or take too long."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from deidlab.errors import DeidError
from deidlab.execute import Failed
from deidlab.pipeline.settings import Finding
from deidlab.types import Document
from deidlab.web.batching import DIED, TOO_SLOW, Batcher, _Waiting
from deidlab.web.jobs import Done, Job
from deidlab.web.metrics import Metrics
from deidlab.web.settings import Limits, ServedModel, ServeSettings
from tests.unit.web.breaking import breaking
from tests.unit.web.serving import RULES

SENTINEL = "Quillfeather"


def job(text: str, **more: object) -> Job:
    return Job("mask", "rules", (Document("note", "", text),), **more)  # type: ignore[arg-type]


def run(test: Callable[[Batcher], Awaitable[None]], **settings: object) -> None:
    async def go() -> None:
        async with Batcher(ServeSettings(**{"models": RULES, **settings}), Metrics()) as batcher:  # type: ignore[arg-type]
            await test(batcher)

    asyncio.run(go())


@pytest.fixture
def breakable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in breaking(tmp_path / "site").items():
        monkeypatch.setenv(name, value)


FAULTS = {
    "mask": "internal error (RuntimeError",
    "crash": DIED,
    "slow": TOO_SLOW,
    "memory": "out of memory",
}


def test_only_the_culprit_fails(breakable: None) -> None:
    async def check(batcher: Batcher) -> None:
        for stage, reason in FAULTS.items():
            texts = [
                f"Note {n} of 3/14/2071" + (f" {SENTINEL} ~{stage}~" if n == 3 else "") for n in range(6)
            ]
            answers = await asyncio.gather(*(batcher.run(job(text)) for text in texts))
            for number, answer in enumerate(answers):
                if number == 3:
                    assert isinstance(answer, Failed) and answer.reason.startswith(reason)
                    assert SENTINEL not in answer.reason
                else:
                    assert isinstance(answer, Done)
                    assert json.loads(answer.objects[0])["text"] == f"Note {number} of [DATE-1]"

    run(check, limits=Limits(note_seconds=1.0))


def test_what_is_no_longer_awaited_is_not_begun(breakable: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAWDLE_SECONDS", "0.6")

    async def check(batcher: Batcher) -> None:
        first = asyncio.create_task(batcher.run(job("~slow~")))
        await asyncio.sleep(0.1)
        given_up = [asyncio.create_task(batcher.run(job("~slow~"))) for _ in range(20)]
        await asyncio.sleep(0.1)
        for each in given_up:
            each.cancel()
        began = time.monotonic()
        await first
        await batcher.run(job("3/14/2071"))
        assert time.monotonic() - began < 3.0

    run(check)


def test_streams_and_requests_take_turns() -> None:
    batcher = Batcher(ServeSettings(), Metrics())

    async def check() -> None:
        loop = asyncio.get_running_loop()
        for number in range(40):
            batcher._queues[1].append(_Waiting(job(f"s{number}"), loop.create_future()))
        for number in range(4):
            batcher._queues[0].append(_Waiting(job(f"r{number}"), loop.create_future()))
        taken = [each.job.documents[0].text for each in batcher._take()]
        assert len(taken) == 32 and {f"r{n}" for n in range(4)} <= set(taken[:8])
        batcher._queues[1].clear()
        for _ in range(3):
            batcher._queues[0].append(_Waiting(job("x" * 50_000), loop.create_future()))
        assert len(batcher._take()) == 2, "a handful has at most so many characters"

    asyncio.run(check())


def test_workers_share_what_waits() -> None:
    batcher = Batcher(ServeSettings(workers=4), Metrics())

    async def check() -> None:
        loop = asyncio.get_running_loop()
        for _ in range(10):
            batcher._queues[0].append(_Waiting(job("x"), loop.create_future()))
        assert [len(batcher._take()) for _ in range(5)] == [3, 2, 2, 1, 1]

    asyncio.run(check())


def test_a_model_that_is_not_there_is_told_at_the_start() -> None:
    missing = ServedModel("mine", Finding("no-such-folder"))

    async def nothing(batcher: Batcher) -> None:
        raise AssertionError("it should not start")

    with pytest.raises(DeidError, match="no-such-folder: no such model folder"):
        run(nothing, models=(missing,))


def test_a_job_shows_no_note() -> None:
    assert SENTINEL not in repr(job(SENTINEL)) and SENTINEL not in repr(Done((SENTINEL.encode(),)))
