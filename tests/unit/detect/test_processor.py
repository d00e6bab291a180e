"""A virtual processor that announces matrix tiles and does not describe them ended every run with an embedded model."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from deidlab.detect import processor, runtimes
from deidlab.detect.folder import ExportFacts

_FLAGS = "processor : 0\nflags : fpu avx512_fp16{} sha_ni\n"
_LIMIT = "ONEDNN_MAX_CPU_ISA"


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Linux on x86 whose list of features a test may write."""
    for name in (_LIMIT, "DNNL_MAX_CPU_ISA"):
        # Set first: what a test sets through os.environ is then taken back too.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(processor, "has_hidden_tiles", processor.has_hidden_tiles.__wrapped__)
    return tmp_path / "cpuinfo"


@pytest.mark.parametrize(
    ("flags", "tile_bytes", "limit"),
    [
        (" amx_bf16 amx_tile amx_int8", 0, "AVX512_CORE_FP16"),
        (" amx_bf16 amx_tile amx_int8", 0x4000400, None),
        ("", 0, None),
    ],
    ids=["announced and not described", "announced and described", "no tiles"],
)
def test_tiles_without_a_size_are_not_used(
    flags: str, tile_bytes: int, limit: str | None, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.write_text(_FLAGS.format(flags))
    monkeypatch.setattr(processor, "_page_ebx", lambda leaf, subleaf: tile_bytes)
    processor.limit_instructions()
    assert os.environ.get(_LIMIT) == limit


def test_a_limit_that_a_person_set_stays(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write_text(_FLAGS.format(" amx_tile"))
    monkeypatch.setattr(processor, "_page_ebx", lambda leaf, subleaf: 0)
    monkeypatch.setenv("DNNL_MAX_CPU_ISA", "AVX2")
    processor.limit_instructions()
    assert _LIMIT not in os.environ


def test_a_system_that_lists_no_features_is_left_alone() -> None:
    processor.limit_instructions()
    assert _LIMIT not in os.environ


def test_a_processor_that_may_not_be_asked_is_believed(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(leaf: int, subleaf: int) -> int:
        raise PermissionError("no executable memory")

    machine.write_text(_FLAGS.format(" amx_tile"))
    monkeypatch.setattr(processor, "_page_ebx", refuse)
    processor.limit_instructions()
    assert _LIMIT not in os.environ


@pytest.mark.parametrize(("hidden", "wanted"), [(True, "f32"), (False, "bf16")])
def test_openvino_adds_up_in_16_bits_only_where_it_can(
    hidden: bool, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Core:
        def get_property(self, device: str, name: str) -> list[str]:
            return ["FP32", "BF16", "INT8"]

    monkeypatch.setattr(runtimes, "has_hidden_tiles", lambda: hidden)
    facts = ExportFacts("openvino", "int8", "model.xml", "bf16", 64)
    settings = runtimes._openvino_settings(Core(), facts, runtimes.Threads(2, 2))
    assert settings["INFERENCE_PRECISION_HINT"] == wanted


_X86_LINUX = sys.platform == "linux" and platform.machine() == "x86_64"


@pytest.mark.skipif(not _X86_LINUX, reason="CPUID is an instruction of x86")
def test_the_processor_answers() -> None:
    # The first page's EBX spells the maker's first four letters.
    maker = processor._page_ebx(0, 0).to_bytes(4, "little")
    assert maker in (b"Genu", b"Auth", b"Hygo", b"  Sh", b"Cent")
