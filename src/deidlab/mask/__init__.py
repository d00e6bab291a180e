"""Detected spans in, notes that can be shared out.

    settings = MaskSettings(policy=load_policy("i2b2"), style="surrogate", key=read_key("site.key").key)
    masker = Masker(settings)
    state = PatientState.from_facts(masker.facts(note) for note in notes_of_one_patient)
    masked = [masker.mask(note, state) for note in notes_of_one_patient]

A policy says which labels change and how, a style what takes their place, a key which choice is made.
"""

from deidlab.mask.apply import apply, settle
from deidlab.mask.base_labels import base_label
from deidlab.mask.crosswalk import Crosswalk
from deidlab.mask.facts import Fact, pack_facts, unpack_facts
from deidlab.mask.keepmap import MapEntry, MapReader, MapWriter, restore_text
from deidlab.mask.keys import KeyFile, new_key, own_patient, random_key, read_key
from deidlab.mask.masker import Masker, mask_notes
from deidlab.mask.policy import (
    Policy,
    Row,
    known_policies,
    load_policy,
    policy_to_table,
    read_policy,
    table_to_policy,
)
from deidlab.mask.settings import MaskSettings
from deidlab.mask.state import PatientState
from deidlab.mask.styles import known_styles

__all__ = [
    "Crosswalk",
    "Fact",
    "KeyFile",
    "MapEntry",
    "MapReader",
    "MapWriter",
    "MaskSettings",
    "Masker",
    "PatientState",
    "Policy",
    "Row",
    "apply",
    "base_label",
    "known_policies",
    "known_styles",
    "load_policy",
    "mask_notes",
    "new_key",
    "own_patient",
    "pack_facts",
    "policy_to_table",
    "random_key",
    "read_key",
    "read_policy",
    "restore_text",
    "settle",
    "table_to_policy",
    "unpack_facts",
]
