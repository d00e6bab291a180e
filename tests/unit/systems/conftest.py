"""Other people's libraries, faked where ours touch them; a tiny classifier; a service; a program of ten
lines."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

NAME = "Brandt"

_FIND = """
import re
def places(text):
    return [match.span() for match in re.finditer("Brandt", text)]
class Found:
    def __init__(self, **fields):
        self.__dict__.update(fields)
"""
LIBRARIES = {
    "presidio_analyzer": """
class AnalyzerEngine:
    supported_languages = ["en"]
    def get_supported_entities(self, language):
        return ["PERSON", "DATE_TIME"]
    def analyze(self, text, language):
        print("a library that talks")
        return [Found(start=a, end=b, entity_type="PERSON", score=0.85) for a, b in places(text)]
""",
    "spacy": """
class Pipeline:
    max_length, path = 60, None
    def __call__(self, text):
        assert len(text) <= self.max_length
        return Found(ents=[Found(start_char=a, end_char=b, label_="PERSON") for a, b in places(text)])
    def has_pipe(self, name):
        return True
    def get_pipe(self, name):
        return Found(labels=("PERSON", "CARDINAL"))
def load(name):
    return Pipeline()
""",
    "philter_lite": """
def load_filters(path):
    return [Found(phi_type="OTHER"), Found(phi_type="DATE")]
def detect_phi(text, filters):
    removed = Found(filecoords=lambda: places(text))
    return None, removed, Found(phi=[])
""",
    "scrubadub": """
class Scrubber:
    def __init__(self, locale):
        assert locale == "en_US"
    def iter_filth(self, text):
        return [Found(beg=a, end=b, type="name") for a, b in places(text)]
""",
    "gliner": """
class GLiNER:
    config = Found(max_len=12)
    @classmethod
    def from_pretrained(cls, folder):
        return cls()
    def predict_entities(self, text, labels, threshold):
        assert "person name" in labels and len(text.split()) <= 12
        return [{"start": a, "end": b, "label": "person name", "score": 0.9} for a, b in places(text)]
""",
}


@pytest.fixture
def libraries(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all of them, before everything else that a worker can import."""
    folder = tmp_path_factory.mktemp("libraries")
    for name, source in LIBRARIES.items():
        (folder / f"{name}.py").write_text(_FIND + source)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", ""))))
    return folder


def program(folder: Path, body: str) -> str:
    """The command of a program that does `body` for each question, and then answers with `table`."""
    path = folder / "program.py"
    path.write_text(
        "import json, os, re, sys, time\nfor number, line in enumerate(sys.stdin):\n"
        "    note = json.loads(line)\n    text = note['text']\n"
        "    spans = [{'start': m.start(), 'end': m.end(), 'label': 'NAME'} for m in re.finditer('Brandt', text)]\n"
        "    table = {'id': note['id'], 'spans': spans}\n"
        f"    {body}\n    print(json.dumps(table), flush=True)\n"
    )
    return f"command:{sys.executable} {path}"


class _Service(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        note = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/")
            self.end_headers()
            return
        if self.path.startswith("/drip"):
            self._drip()
            return
        spans = [
            {"start": m.start(), "end": m.end(), "label": "NAME"} for m in re.finditer(NAME, note["text"])
        ]
        table: dict[str, object] = {"id": note["id"], "spans": spans}
        if self.path == "/limited":
            table |= {"limit": 40, "spans": spans if len(note["text"]) <= 40 else []}
        body = json.dumps(table).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.0 200 OK\r\n" + (b"\r\n" if self.path.endswith("body") else b"X: "))
        for _ in range(100):
            try:
                self.wfile.write(b" ")
            except OSError:
                return
            time.sleep(0.1)

    def log_message(self, *_: object) -> None:
        return None


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    """The address of a service on loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with no layers, whose embedding of one word says that it is a name; it reads 16 pieces by
    itself."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("classifier")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "brandt", "seen", "by", "dr", ".", "##s", "x"]
    tokenizer = Tokenizer(models.WordPiece({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=16, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
    ).save_pretrained(folder)  # fmt: skip
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=0, num_attention_heads=1, intermediate_size=8,
        max_position_embeddings=16, id2label={0: "O", 1: "B-PATIENT", 2: "I-PATIENT"},
        label2id={"O": 0, "B-PATIENT": 1, "I-PATIENT": 2},
    )  # fmt: skip
    model = transformers.BertForTokenClassification(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        layer_norm = model.bert.embeddings.LayerNorm
        layer_norm.weight.fill_(1.0)
        model.bert.embeddings.word_embeddings.weight[:, 1] = 1.0
        model.bert.embeddings.word_embeddings.weight[5] = torch.tensor([9.0, *[0.0] * 7])
        model.classifier.weight[1, 0] = 5.0
        model.classifier.weight[0, 1] = 5.0
    model.save_pretrained(folder)
    return folder


# Other architectures than BERT, and the kinds of tokenizers that theirs are.
ARCHITECTURES = {
    "roberta": "bytes",
    "xlm-roberta": "sentencepiece",
    "albert": "sentencepiece",
    "deberta": "bytes",
    "deberta-v2": "sentencepiece",
    "modernbert": "bytes",
}
_CORPUS = ["Seen by Dr. Brandt", "x", "x x seen by Brandt. (Brandt)"]
_SPECIAL = ["<s>", "</s>", "<pad>", "<unk>", "<mask>"]
ROOM = 24


def make_classifier(folder: Path, architecture: str) -> Path:
    """A classifier of that architecture whose one layer changes nothing and whose embedding of one word says
    that it is a name; by itself it reads 24 pieces."""
    import torch
    import transformers

    tokenizer = _tokenizer(ARCHITECTURES[architecture])
    tokenizer.save_pretrained(folder)
    more: dict[str, Any] = {"embedding_size": 8} if architecture == "albert" else {}
    if architecture.startswith("deberta"):
        more = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}
    behind = 3 if "roberta" in architecture else 0
    config = transformers.AutoConfig.for_model(
        architecture, vocab_size=len(tokenizer), hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, max_position_embeddings=ROOM + behind, bos_token_id=0, cls_token_id=0,
        eos_token_id=1, sep_token_id=1, pad_token_id=2,
        id2label={0: "O", 1: "B-PATIENT", 2: "I-PATIENT"}, label2id={"O": 0, "B-PATIENT": 1, "I-PATIENT": 2}, **more,
    )  # fmt: skip
    model = transformers.AutoModelForTokenClassification.from_config(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.zero_()
            if "norm" in name.lower() and name.endswith("weight"):
                parameter.fill_(1.0)
            if "head.dense.weight" in name or "mapping_in.weight" in name:
                parameter.copy_(torch.eye(8))
        words = model.get_input_embeddings().weight
        words[:, 1] = 1.0
        for piece, number in tokenizer.get_vocab().items():
            if "Brandt" in piece:
                words[number] = torch.tensor([9.0, *[0.0] * 7])
        model.classifier.weight[1, 0] = 5.0
        model.classifier.weight[0, 1] = 5.0
    transformers.utils.logging.disable_progress_bar()
    model.save_pretrained(folder)
    return folder


def _tokenizer(kind: str) -> Any:
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    if kind == "bytes":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        made.train_from_iterator(
            _CORPUS * 9,
            trainers.BpeTrainer(
                vocab_size=500, special_tokens=_SPECIAL, initial_alphabet=alphabet, show_progress=False
            ),
        )
        made.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), add_prefix_space=False)
    else:
        words = ("▁Seen", "▁by", "▁Dr", ".", "▁Brandt", "Brandt", "▁x", "▁seen", "(", ")", "▁", "x", ",")
        pieces = [*((special, 0.0) for special in _SPECIAL), *((word, -2.0) for word in words)]
        made = Tokenizer(models.Unigram(pieces, unk_id=3))
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.add_special_tokens(_SPECIAL)
        around = [("<s>", 0), ("</s>", 1)]
        made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=around)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=ROOM, cls_token="<s>", bos_token="<s>", sep_token="</s>",
        eos_token="</s>", pad_token="<pad>", unk_token="<unk>", mask_token="<mask>",
    )  # fmt: skip
