"""What people ask for on the command line in, the models and policies that a server holds out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deidlab import languages
from deidlab.errors import ConfigError
from deidlab.mask import Policy, known_policies, load_policy
from deidlab.pipeline.settings import Finding
from deidlab.web.settings import EMBEDDED, RULES_ONLY, ServedModel, has_embedded_model


def choose_models(asked: Sequence[str], finding: Finding) -> tuple[ServedModel, ...]:
    """The models named, each NAME=FOLDER, a folder or an embedded one, and the rules alone after them."""
    rules = _served(
        RULES_ONLY, replace(finding, model=None, rules="only"), "rules and lists alone, without a model"
    )
    if finding.rules == "only" or (not asked and not has_embedded_model()):
        return (rules,)
    chosen = [_read(each, finding) for each in asked or [EMBEDDED] if each != RULES_ONLY]
    return (rules, *chosen) if asked and asked[0] == RULES_ONLY else (*chosen, rules)


def _read(asked: str, finding: Finding) -> ServedModel:
    name, equals, folder = asked.rpartition("=")
    name = name if equals else Path(folder).name
    if not name or name == RULES_ONLY:
        raise ConfigError(f"a model needs a name of its own: --model NAME={folder}")
    beside = "alone" if finding.rules == "off" else "with rules and lists"
    return _served(name, replace(finding, model=folder), f"the model {name}, {beside}")


def _served(name: str, finding: Finding, description: str) -> ServedModel:
    """With rules of the language that was named, or else the model's, without those that are switched off."""
    language = finding.find_language()
    from deidlab.detect.vetoes import VETO_NAMES

    own = {rule.name for rule in languages.of(language).rules} | VETO_NAMES
    without = tuple(rule for rule in finding.without_rules if rule in own)
    return ServedModel(name, replace(finding, without_rules=without), description, language)


def read_policies(paths: Sequence[Path]) -> tuple[Policy, ...]:
    """Policies from files, under their own names."""
    policies = tuple(load_policy(str(path)) for path in paths)
    names = [*(policy.name for policy in policies), *known_policies()]
    if len(set(names)) < len(names):
        raise ConfigError("two policies have the same name; rename a file, or set 'name' in it")
    return policies
