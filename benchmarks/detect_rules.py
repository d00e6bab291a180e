"""Time every rule and the whole of rule-based detection on notes of about 600 words, on one core.

python benchmarks/detect_rules.py [N_NOTES]
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Sequence

from deidlab import languages
from deidlab.detect import Detector, DetectorSettings, load_detector
from deidlab.rules import Rule
from deidlab.types import Document

ROUNDS = 15
RULES = languages.find(languages.FIRST).rules
# They read numbers, and need no lists.
CHEAP = ("dates", "ages", "web", "phones", "ids", "national")
PARAGRAPH = (
    "Mr. {name} is a 67-year-old retired carpenter seen on 03/1{digit}/2071 at Tamarack "
    "Valley Medical Center (MRN: 00-52{digit}-2276). "
    "He presented with three days of chest pain, worse with exertion, and shortness of "
    "breath. Blood pressure was 142/8{digit}, pulse 7{digit}, "
    "respirations 16, saturation 9{digit}% on room air. Strength was 5/5 throughout, "
    "reflexes were 2+ and symmetric. Labs showed sodium 138, "
    "potassium 4.{digit}, creatinine 1.1, troponin negative. The electrocardiogram showed "
    "normal sinus rhythm without acute changes. He was given "
    "aspirin 325 mg and metoprolol 25 mg twice daily and was observed overnight with no "
    "events. Dr. Okafor discussed the findings with the family, "
    "including his daughter Priya, who can be reached at (206) 555-013{digit}. He will "
    "follow up in two weeks with his primary care physician.\n"
)


def notes(n: int) -> list[Document]:
    names = ("Ostrander", "Whitlock", "Brown", "Fernandez", "Lee")
    return [
        Document(
            id=f"n{i}",
            text="".join(PARAGRAPH.format(name=names[(i + j) % 5], digit=(i + j) % 10) for j in range(5)),
        )
        for i in range(n)
    ]


def best(work: Callable[[Document], object], documents: list[Document]) -> float:
    """Seconds a note in the best of the rounds: other work on the machine only ever adds to the time."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for document in documents:
            work(document)
        seconds.append((time.process_time() - start) / len(documents))
    return min(seconds)


def run_rules(rules: Sequence[Rule]) -> Callable[[Document], object]:
    return lambda document: [rule.find(document.text) for rule in rules]


def main() -> None:
    documents = notes(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    detector = load_detector(None, DetectorSettings("only"))
    n_words = len(documents[0].text.split())
    print(f"{len(documents)} notes of {n_words} words, best of {ROUNDS} rounds, one core")
    for rule in RULES:
        print(f"  {rule.name:14s} {best(run_rules([rule]), documents) * 1e6:8.0f} µs a note")
    cheap = [rule for rule in RULES if rule.name in CHEAP]
    print(f"cheap rules: {1 / best(run_rules(cheap), documents):.0f} notes a second")
    for with_words in (True, False):
        seconds = best(functools.partial(detect, detector, with_words), documents)
        kind = "with" if with_words else "without"
        print(f"everything, {kind} word scores: {1 / seconds:.0f} notes a second")


def detect(detector: Detector, with_words: bool, document: Document) -> object:
    return detector.detect([document], with_words=with_words)


if __name__ == "__main__":
    main()
