"""What is counted while the server runs, in the form that Prometheus reads.

No label comes from a request's content: routes are their templates, models and tasks those of the settings.
"""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

# When a series began is of no use here, and doubles the page.
disable_created_metrics()  # type: ignore[no-untyped-call]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The counters of one server, in a registry of its own."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.requests = Counter(
            "deidlab_requests", "Requests answered.", ("method", "route", "status"), registry=registry
        )
        self.seconds = Histogram(
            "deidlab_request_seconds",
            "Seconds from a request to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self.under_way = Gauge("deidlab_requests_under_way", "Requests now.", registry=registry)
        self.notes = Counter("deidlab_notes", "Notes answered.", ("task", "model"), registry=registry)
        self.characters = Counter(
            "deidlab_characters", "Characters of notes answered.", ("task", "model"), registry=registry
        )
        self.spans = Counter(
            "deidlab_spans", "Spans found or replaced.", ("task", "model"), registry=registry
        )
        self.waiting = Gauge("deidlab_jobs_waiting", "Jobs that wait for a worker.", registry=registry)
        self.handful = Histogram(
            "deidlab_handful_jobs",
            "Jobs that went to a worker together.",
            buckets=(1, 2, 4, 8, 16, 32),
            registry=registry,
        )
        self.restarts = Counter("deidlab_worker_restarts", "Workers lost and replaced.", registry=registry)

    def count_notes(self, task: str, model: str, n_notes: int, n_characters: int, n_spans: int) -> None:
        self.notes.labels(task, model).inc(n_notes)
        self.characters.labels(task, model).inc(n_characters)
        self.spans.labels(task, model).inc(n_spans)

    def render(self) -> bytes:
        return generate_latest(self._registry)
