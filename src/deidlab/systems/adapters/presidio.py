"""Microsoft Presidio's analyzer: `presidio` with its own defaults, `presidio:CONFIG` with a YAML file,
`presidio:spacy=MODEL`.

MODEL is a spaCy model's package or folder. With a file, it is that of Presidio's `AnalyzerEngineProvider`.
"""

from __future__ import annotations

from typing import Any

PACKAGES = ["presidio-analyzer"]
# spaCy refuses longer texts, and Presidio hands its own on whole.
_LIMIT = 1000000


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    from presidio_analyzer import AnalyzerEngine

    argument = settings["argument"]
    model = argument[len("spacy=") :] if argument.startswith("spacy=") else ""
    if model:
        from presidio_analyzer.nlp_engine import NlpEngineProvider

        chosen = [{"lang_code": "en", "model_name": model}]
        provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": chosen})
        engine = AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])
    elif argument:
        from presidio_analyzer import AnalyzerEngineProvider

        engine = AnalyzerEngineProvider(analyzer_engine_conf_file=argument).create_engine()
    else:
        engine = AnalyzerEngine()
    language = engine.supported_languages[0]

    def find(text: str) -> dict[str, Any]:
        found = engine.analyze(text=text, language=language)
        return {
            "spans": [
                {"start": each.start, "end": each.end, "label": each.entity_type, "score": float(each.score)}
                for each in found
                if each.start < each.end
            ]
        }

    return {
        "find": find,
        "scheme": "presidio",
        "labels": sorted(engine.get_supported_entities(language)),
        "limit": _LIMIT,
        "packages": [*PACKAGES, "spacy"],
        "files": [model] if model else [],
    }
