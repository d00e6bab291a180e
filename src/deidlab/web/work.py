"""Jobs in, their answers as JSON out: what a worker does, with what it loaded once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from deidlab.carriers.fhir import FHIR, unwrapped
from deidlab.corpus.carried import put_back, take_out
from deidlab.corpus.raw import build_document
from deidlab.corpus.records import span_to_record
from deidlab.detect import Detection, Detector
from deidlab.labels import load_label_set, split_tag
from deidlab.mask import Masker, MaskSettings, PatientState, load_policy, own_patient
from deidlab.mask.apply import landings
from deidlab.pipeline.loading import load_finding
from deidlab.pipeline.run.mask import check_undone, emptied
from deidlab.types import Document, MaskedDocument
from deidlab.web.jobs import Done, Job, WorkerSetup

_FHIR = FHIR()
_MASKERS_KEPT = 32
_WARMING = "Mr. John Smith, 82, of Dover, NH 03820, saw Dr. Mary Jones on 3/14/2064. Call 603-555-0142."
_WORDLESS = "John Smith, 3/14/2064, 603-555-0142"


class Work:
    """Detectors and maskers of one server; `do` answers jobs of any clients together."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._detectors = {model.name: load_finding(model.finding) for model in setup.models}
        self._languages = {model.name: model.language for model in setup.models}
        policies = {policy.name: policy for policy in setup.policies}
        place = setup.codes.crosswalk
        crosswalk = None if place is None else place.open()

        @lru_cache(_MASKERS_KEPT)
        def masker(policy: str, style: str, day_first: bool, language: str) -> Masker:
            chosen, codes = policies.get(policy) or load_policy(policy), setup.codes
            return Masker(
                MaskSettings(
                    chosen, style, crosswalk.key if crosswalk else setup.key, None, day_first, language,
                    codes.chosen(chosen), codes.accepted, crosswalk,
                )
            )  # fmt: skip

        self._masker = masker

    def warm(self) -> None:
        """Have everything read that is read when it is first needed, so that no client waits for it."""
        # A note that tells no language is read with the rules of all.
        notes = tuple(Document(own_patient(), "", text) for text in (_WARMING, _WORDLESS))
        for model in self._detectors:
            self.do([Job("mask", model, notes, style="surrogate"), Job("detect", model, notes)])

    def labels(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What each model can find."""
        return tuple((name, _labels_of(detector)) for name, detector in self._detectors.items())

    def do(self, jobs: Sequence[Job]) -> list[Done]:
        """An answer a job, in order. Each model sees the notes of all jobs that ask for it at once."""
        jobs = [replace(job, documents=(_read(job),)) if job.resource is not None else job for job in jobs]
        found = self._detect(jobs)
        return [self._detected(job, own) if job.task == "detect" else self._masked(job, own)
                for job, own in zip(jobs, found, strict=True)]  # fmt: skip

    def _detect(self, jobs: Sequence[Job]) -> list[list[Detection]]:
        unread: dict[tuple[str, bool], list[Document]] = {}
        for job in jobs:
            if not job.given:
                unread.setdefault((job.model, job.words), []).extend(job.documents)
        found = {
            (model, words): iter(self._detectors[model].detect(documents, with_words=words))
            for (model, words), documents in unread.items()
        }
        return [
            [] if job.given else [next(found[job.model, job.words]) for _ in job.documents] for job in jobs
        ]

    def _detected(self, job: Job, found: Sequence[Detection]) -> Done:
        pairs = zip(job.documents, found, strict=True)
        objects = tuple(_encode(_detection_record(job, document, each)) for document, each in pairs)
        return Done(objects, sum(len(each.spans) for each in found))

    def _masked(self, job: Job, found: Sequence[Detection]) -> Done:
        notes = job.documents
        if not job.given:
            notes = tuple(replace(note, spans=each.spans) for note, each in zip(notes, found, strict=True))
        masker = self._masker(job.policy, job.style, job.day_first, self._languages[job.model])
        if masker.settings.draws:
            masker = _drawing(masker, job, notes)
        masked = list(mask_together(notes, masker))
        n_spans = sum(len(each.replacements) for each in masked)
        if job.resource is not None:
            return Done((_put_back(notes[0], masked[0]),), n_spans)
        objects = tuple(
            _encode(_mask_record(job, note, each, masker)) for note, each in zip(notes, masked, strict=True)
        )
        return Done(objects, n_spans)


def _read(job: Job) -> Document:
    """The resource of a job as a note."""
    raw = take_out(_FHIR, unwrapped(job.resource or b""), Path("the resource"), "resource")
    return build_document(replace(raw, patient=raw.patient or job.stranger))


def _put_back(note: Document, masked: MaskedDocument) -> bytes:
    return put_back(replace(note, text=masked.text, spans=(), container=emptied(note, masked)), _FHIR, "FHIR")


def _drawing(masker: Masker, job: Job, notes: Sequence[Document]) -> Masker:
    """Whoever draws the codes of a job: what no crosswalk keeps holds for it alone, since no two workers
    would agree on more."""
    own = masker if masker.settings.crosswalk is not None else Masker(masker.settings)
    coded = (pair for note in notes for pair in own.coded(note))
    own.codes.expect(pair for pair in coded if job.pseudonyms or pair[0] != "document")
    return own


def mask_together(notes: Sequence[Document], masker: Masker) -> Iterator[MaskedDocument]:
    """The notes masked, with what the notes of each patient share settled over all of them."""
    by_patient: dict[str, list[Document]] = {}
    for note in notes:
        by_patient.setdefault(note.patient, []).append(note)
    states = {
        patient: PatientState.from_facts(masker.facts(note) for note in sorted(own, key=lambda n: n.id))
        for patient, own in by_patient.items()
    }
    for note in notes:
        masked = masker.mask(note, states[note.patient])
        check_undone(note.text, masked)
        yield masked


def _detection_record(job: Job, document: Document, found: Detection) -> dict[str, Any]:
    record: dict[str, Any] = {"id": document.id, "patient": document.patient}
    if job.with_text:
        record["text"] = document.text
    record["model"] = job.model
    record["spans"] = [span_to_record(span) for span in found.spans]
    if job.candidates:
        record["candidates"] = [span_to_record(span) for span in found.candidates]
    if job.words:
        record["words"] = [[start, end, float(score)] for start, end, score in found.words]
    return record


def _mask_record(job: Job, document: Document, masked: MaskedDocument, masker: Masker) -> dict[str, Any]:
    name, patient = document.id, document.patient
    if job.pseudonyms:
        name, patient = masker.pseudonym("document", name), masker.pseudonym("patient", patient)
    places = landings(masked.replacements)
    return {
        "id": name,
        "patient": patient,
        "text": masked.text,
        "model": None if job.given else job.model,
        "style": job.style,
        "policy": job.policy,
        "replacements": [
            {**span_to_record(span), "masked_start": start, "masked_end": end}
            for (span, _), (start, end) in zip(masked.replacements, places, strict=True)
        ],
    }


def _labels_of(detector: Detector) -> tuple[str, ...]:
    labels = set(load_label_set(detector.labels).labels) if detector.rules else set()
    if detector.model is not None:
        own = {split_tag(tag)[1] for tag in detector.model.tags} - {""}
        labels |= {detector.model_labels.get(label, label) for label in own} - {""}
    return tuple(sorted(labels))


def _encode(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
