"""How PHI is found: `Finding` itself is the group; here is what is checked of it, and lists its rules."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from deidlab import languages
from deidlab.cli.output import print_json
from deidlab.detect.vetoes import as_rules
from deidlab.pipeline.settings import Finding


def check_finding(finding: Finding, *codes: str) -> None:
    """Raise for an unknown language, and for rules to switch off that none of the languages has.

    The `codes` are those of the languages of the models [default: the one named, or the one model's].
    """
    check_language(finding.language)
    if finding.without_rules:
        _check_rules(finding.without_rules, codes or (finding.find_language(),))


def check_language(code: str | None) -> None:
    if code and code not in languages.known():
        raise typer.BadParameter(f"--language is one of {', '.join(languages.known())}")


def _check_rules(names: Sequence[str], codes: Sequence[str]) -> None:
    rules = [*(rule for code in codes for rule in languages.of(code).rules), *as_rules()]
    known = dict.fromkeys(rule.name for rule in rules)
    if not set(names) <= set(known):
        raise typer.BadParameter(f"--without-rule is one of {', '.join(known)} here")


def print_rules(code: str, as_json: bool = False) -> None:
    """Every rule of a language, with one line of what it finds."""
    rules = (*languages.of(code).rules, *as_rules())
    if as_json:
        print_json([{"rule": rule.name, "finds": rule.about} for rule in rules])
        return
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        typer.echo(f"{rule.name:{width}}  {rule.about}")
