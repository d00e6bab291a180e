"""Which system is meant in, a system that answers out; nothing of it is loaded before this."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Protocol

import deidlab
from deidlab.errors import UsageError
from deidlab.labels import load_map
from deidlab.systems.contract import Answer, SystemFacts
from deidlab.systems.process import Limits, ProcessSystem
from deidlab.systems.recorded import RecordedSystem
from deidlab.systems.specification import ADAPTED, OWN, SystemSpec
from deidlab.systems.usage import Usage

_HERE = Path(__file__).parent
_HINTS = {
    "gliner": "pip install gliner",
    "presidio": "pip install presidio-analyzer, and a spaCy model",
    "spacy": "pip install spacy, and a model",
    "philter": "pip install philter-lite",
    "scrubadub": "pip install scrubadub",
    "hf-pipeline": "pip install transformers torch",
}


class System(Protocol):
    """Whatever answers, one text at a time; `facts` are known once it is open."""

    @property
    def facts(self) -> SystemFacts: ...

    @property
    def usage(self) -> Usage: ...

    def open(self) -> None: ...

    def find(self, text: str) -> Answer: ...

    def close(self) -> None: ...


def make_system(spec: SystemSpec, limits: Limits, hosts: tuple[str, ...] = ()) -> System | RecordedSystem:
    """The system, not yet open; `hosts` are those beyond this machine that notes may be sent to."""
    if spec.kind == "corpus":
        return RecordedSystem(Path(spec.argument))
    if spec.kind == "http":
        # It loads a client for HTTP, which no other system needs.
        from deidlab.systems.service import ServiceSystem, check_url

        return ServiceSystem(check_url(spec.argument, hosts), limits)
    if spec.kind == "command":
        try:
            command = shlex.split(spec.argument)
        except ValueError:
            raise UsageError(f"{spec.name}: a quotation mark in the command is never closed") from None
        return ProcessSystem(command, limits)
    return _adapted(spec, limits)


def adapter_command(spec: SystemSpec) -> tuple[str, ...]:
    """What runs the adapter of such a system, up to its settings; without them it only tells versions."""
    adapter = _HERE / "adapters" / f"{spec.kind.replace('-', '_')}.py"
    return (spec.python or sys.executable, str(_HERE / "worker.py"), str(adapter))


def _adapted(spec: SystemSpec, limits: Limits) -> ProcessSystem:
    settings: dict[str, object] = {"argument": spec.argument}
    if spec.kind == "gliner":
        settings["prompts"] = [prompt for prompt, label in load_map("gliner--i2b2-groups").items() if label]
    command = (*adapter_command(spec), json.dumps(settings))
    environment = {}
    if spec.kind in OWN:
        # The adapter needs this DeidLab, whatever Python runs it.
        paths = [str(Path(deidlab.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    need = _HINTS.get(spec.kind, "pip install deidlab with what it needs")
    hint = f"{ADAPTED[spec.kind]}: {need}; or name a Python that has it with --python {spec.kind}=PATH"
    return ProcessSystem(command, limits, greets=True, environment=environment, hint=hint)
