from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from deidlab.errors import ConfigError, MissingExtraError, ModelError, UnknownNameError
from deidlab.zoo import meta
from deidlab.zoo.params import TensorList
from deidlab.zoo.safetensors import read_stored_tensors
from deidlab.zoo.sources import open_sizes, open_tensors

TINY = {
    "model_type": "bert",
    "vocab_size": 50,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 32,
}


@pytest.fixture
def transformers() -> Any:
    pytest.importorskip("torch", reason="NEEDS torch: local configurations are built on the meta device")
    return pytest.importorskip("transformers", reason="NEEDS transformers: it builds local configurations")


def write_config(folder: Path, **changes: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(TINY | changes))
    return folder


def write_safetensors(path: Path, header: object, text: bytes | None = None) -> None:
    encoded = json.dumps(header).encode() if text is None else text
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + b"\0" * 64)


def test_a_folder_and_its_config_file_give_the_same_tensors(tmp_path: Path, transformers: Any) -> None:
    folder = write_config(tmp_path / "mine")
    from_folder = open_tensors(str(folder), "token", 5)
    from_file = open_tensors(str(folder / "config.json"), "token", 5)
    assert from_folder == from_file
    assert from_folder.model == "mine"
    assert from_folder.tensors[0].name == "bert.embeddings.word_embeddings.weight"
    assert from_folder.tensors[-1].shape == (5,)


def test_a_local_model_has_sizes_too(tmp_path: Path, transformers: Any) -> None:
    found = open_sizes(str(write_config(tmp_path / "mine")))
    assert (found.name, found.family, found.sizes.hidden, found.sizes.dropout) == ("mine", "bert", 8, 0.1)


def test_a_local_roberta_is_in_page_order(tmp_path: Path, transformers: Any) -> None:
    folder = write_config(tmp_path / "mine", model_type="roberta", pad_token_id=1)
    names = [tensor.name for tensor in open_tensors(str(folder)).tensors[:4]]
    assert [name.split(".")[2] for name in names] == [
        "word_embeddings",
        "position_embeddings",
        "token_type_embeddings",
        "LayerNorm",
    ]


def test_a_frozen_tensor_is_counted_but_not_as_trainable(transformers: Any) -> None:
    config = meta.make_config("bert", {key: TINY[key] for key in TINY if key != "model_type"})
    model = meta.build_model(config, "none", None)
    model.embeddings.position_embeddings.weight.requires_grad_(False)
    listed = TensorList("mine", "none", None, meta.list_tensors(model))
    assert listed.total - listed.trainable == 32 * 8


def test_a_known_name_wins_over_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(tmp_path / "roberta-base")
    monkeypatch.chdir(tmp_path)
    assert open_tensors("roberta-base").total == 124_647_170


def test_a_path_that_is_not_there_is_said_to_be_missing() -> None:
    with pytest.raises(ModelError, match="no such file or folder"):
        open_tensors("./models/nothing/here")
    with pytest.raises(ModelError, match="no such file or folder"):
        open_tensors("nothing.json")


def test_a_plain_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean bert-base"):
        open_tensors("bert-bse")


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "not JSON"), ("[]", "not a JSON object"), ('{"hidden_size": 8}', "'model_type'")],
)
def test_a_config_that_is_none_is_refused(tmp_path: Path, transformers: Any, text: str, message: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError, match=message):
        open_tensors(str(tmp_path))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("num_hidden_layers", value) for value in (10**9, -1, 2.5, 0, "12", True, [])),
        *(("hidden_size", value) for value in (10**12, 0, "8")),
        *(("num_attention_heads", value) for value in (0, -2)),
        *(("vocab_size", value) for value in (10**12, "a")),
        ("max_position_embeddings", 10**12),
        ("intermediate_size", 10**12),
        ("type_vocab_size", -1),
        ("num_labels", 10**9),
        ("num_hidden_groups_of_layers", 10**9),
    ],
)
def test_a_size_that_cannot_be_is_refused_before_it_is_made(
    tmp_path: Path, field: str, value: object
) -> None:
    path = tmp_path / "config.json"
    for config in ({**TINY, field: value}, {**TINY, "text_config": {field: value}}):
        path.write_text(json.dumps(config))
        for ask in (open_tensors, open_sizes):
            with pytest.raises(ModelError, match=f"'{field}' must be a whole number from"):
                ask(str(path))


def test_other_sizes_are_taken_as_they_are(tmp_path: Path, transformers: Any) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**TINY, "num_hidden_layers": 3, "type_vocab_size": 1}))
    assert open_sizes(str(path)).sizes.layers == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [("id2label", 7), ("hidden_act", 5), ("torch_dtype", "nope"), ("num_attention_heads", 3), ("dtype", 5)],
)
def test_a_field_that_transformers_does_not_take_is_one_line(
    tmp_path: Path, transformers: Any, field: str, value: object
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**TINY, field: value}))
    with pytest.raises(ModelError) as caught:
        open_tensors(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"model_type": "bert", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"model_type": "bert", "x": ' + '{"a": ' * 500 + "1" + "}" * 501,
        '{"model_type": []}',
        '{"model_type": "a\\nb"}',
    ],
)
def test_a_config_of_odd_build_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError) as caught:
        open_tensors(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_labels_without_bound_are_refused() -> None:
    with pytest.raises(ConfigError, match="at most 1,000,000 labels"):
        open_tensors("roberta-base", "token", 10**9)


def test_a_folder_without_a_config_is_refused(tmp_path: Path, transformers: Any) -> None:
    with pytest.raises(ModelError, match=r"no config\.json"):
        open_tensors(str(tmp_path))


def test_an_architecture_that_transformers_does_not_know_is_refused(
    tmp_path: Path, transformers: Any
) -> None:
    folder = write_config(tmp_path / "mine", model_type="perpetuum", auto_map={"AutoModel": "evil.Model"})
    with pytest.raises(ModelError, match="remote code is never run"):
        open_tensors(str(folder))


def test_but_its_safetensors_are_listed_as_stored(tmp_path: Path, transformers: Any) -> None:
    folder = write_config(tmp_path / "mine", model_type="perpetuum")
    facts = {"dtype": "F32", "shape": [2, 4], "data_offsets": [32, 64]}
    words = {"dtype": "F32", "shape": [3, 4], "data_offsets": [64, 112]}
    write_safetensors(
        folder / "model.safetensors", {"a.weight": facts, "embeddings.word_embeddings.weight": words}
    )
    listed = open_tensors(str(folder))
    assert (listed.head, listed.labels, listed.total) == ("stored", None, 20)
    assert [tensor.name for tensor in listed.tensors] == ["embeddings.word_embeddings.weight", "a.weight"]


def test_a_head_that_transformers_does_not_have_is_an_error(tmp_path: Path, transformers: Any) -> None:
    folder = tmp_path / "mine"
    write_config(folder, model_type="clip_vision_model", image_size=32, patch_size=16)
    with pytest.raises(ModelError, match="no 'token' head"):
        open_tensors(str(folder), "token")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a safetensors file"),
        (b"\xff" * 16, "not a safetensors file"),
        (b"PK\x03\x04pickled", "not a safe"),
    ],
)
def test_what_is_no_safetensors_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_stored_tensors(path)


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"[]",
        b'{"a": 3}',
        b'{"a": {"shape": "x", "data_offsets": [0]}}',
        b"[" * 99_999,
        b'{"a": {"shape": [1e999], "data_offsets": [0]}}',
        b'{"a": {"shape": [-3], "data_offsets": [0]}}',
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, text: bytes) -> None:
    write_safetensors(tmp_path / "m.safetensors", None, text)
    with pytest.raises(ModelError, match="damaged"):
        read_stored_tensors(tmp_path / "m.safetensors")


def test_a_header_s_order_is_the_file_s(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "late": {"dtype": "F32", "shape": [], "data_offsets": [8, 12]},
        "early": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    }
    write_safetensors(tmp_path / "m.safetensors", header)
    assert [(tensor.name, tensor.count) for tensor in read_stored_tensors(tmp_path / "m.safetensors")] == [
        ("early", 2),
        ("late", 1),
    ]


def test_a_hub_id_without_a_network_is_one_line(monkeypatch: pytest.MonkeyPatch, transformers: Any) -> None:
    import huggingface_hub

    class NoNetwork:
        def head(self, url: str, timeout: float) -> None:
            raise OSError("no route to host")

    monkeypatch.setattr(huggingface_hub, "get_session", NoNetwork)
    with pytest.raises(ModelError, match=r"the hub cannot be reached.*shipped are deberta-v3-base") as caught:
        open_tensors("someone/deberta-v3-bse")
    assert "\n" not in str(caught.value)


def test_without_transformers_a_local_folder_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"needs the 'train' extra: pip install "):
        open_tensors(str(write_config(tmp_path / "mine")))
    assert open_tensors("bert-base").total == 109_483_778


def test_a_tied_tensor_is_listed_once_under_the_embeddings(transformers: Any) -> None:
    config = meta.make_config("xlm-roberta", {key: TINY[key] for key in TINY if key != "model_type"})
    tensors = meta.list_tensors(meta.build_model(config, "mlm", None))
    names = [tensor.name for tensor in tensors]
    assert names[0] == "roberta.embeddings.word_embeddings.weight"
    assert "lm_head.decoder.weight" not in names
    assert names[-1].startswith("lm_head.")
    assert len(set(names)) == len(names)
