"""What the processor says of itself, asked before a runtime that writes machine code believes it.

Some virtual machines announce Intel's matrix units (AMX) and leave out the page that gives the size of their
tiles. oneDNN, inside OpenVINO and torch, then sets up tiles of no size, and the process ends with an illegal
instruction. The instructions before AMX are all there, so oneDNN is told to keep to them. OpenVINO still
believes in the tiles and lays weights of 16 bits out for them, which makes answers wrong: sums are in 32 bits
there.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import sys
from pathlib import Path

# Either name is read by oneDNN; a person who has set one has decided.
_LIMITS = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")
_BEFORE_TILES = "AVX512_CORE_FP16"
_CPUINFO = Path("/proc/cpuinfo")
_TILE_PAGE = 0x1D
# mov eax, edi; mov ecx, esi; mov r8, rbx; cpuid; mov eax, ebx; mov rbx, r8; ret
_ASK_EBX = bytes.fromhex("89f8 89f1 4989d8 0fa2 89d8 4c89c3 c3")


def limit_instructions() -> None:
    """Keep oneDNN from tiles whose size the processor does not tell; call it before oneDNN is loaded."""
    if not any(os.environ.get(name) for name in _LIMITS) and has_hidden_tiles():
        os.environ[_LIMITS[0]] = _BEFORE_TILES


@functools.cache
def has_hidden_tiles() -> bool:
    """Whether the processor announces tiles and does not say what size they have."""
    return announces_tiles() and not describes_tiles()


def announces_tiles() -> bool:
    """Whether the system lists AMX among the processor's features; false where it does not list any."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        return " amx_tile" in _CPUINFO.read_text("ascii", "replace")
    except OSError:
        return False


def describes_tiles() -> bool:
    """Whether the processor's page on tiles says how many bytes one has; true where it may not be asked."""
    try:
        return _page_ebx(_TILE_PAGE, 1) != 0
    except (OSError, ValueError):
        return True


def _page_ebx(leaf: int, subleaf: int) -> int:
    """One register of a CPUID page. Only machine code can ask, and Python has no instruction for it."""
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
        code.write(_ASK_EBX)
        start = ctypes.c_char.from_buffer(code)
        try:
            ask = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32)(ctypes.addressof(start))
            return int(ask(leaf, subleaf))
        finally:
            # The map cannot be closed while something points into it.
            del start
