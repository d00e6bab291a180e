from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deidlab.zoo.configs import known_models
from tests.e2e.command import deidlab, deidlab_process

Capture = pytest.CaptureFixture[str]
OUTSIDE_THE_ZOO = """
import sys
from deidlab.cli.app import run
for arguments in (["params", "roberta-large"], ["params", "bert-base", "--memory", "32GB"], ["params", "--study"]):
    assert run([*arguments, "--quiet"]) == 0
found = sorted({"torch", "transformers", "numpy", "matplotlib"} & set(sys.modules))
sys.exit(f"loaded {found}" if found else 0)
"""


def test_a_page_is_printed_to_the_byte(shared: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "params",
        "roberta-base",
        "--head",
        "sequence",
        "--labels",
        "2",
    ]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == (shared / "reference" / "roberta-base.md").read_bytes()


def test_a_plain_page_has_the_sequence_head_and_two_labels(capsys: Capture) -> None:
    plain = deidlab(capsys, "params", "roberta-base")
    spelled = deidlab(
        capsys, "params", "roberta-base", "--head", "sequence", "--labels", "2", "--format", "md"
    )
    assert plain.status == 0
    assert plain.out == spelled.out
    assert "| classifier.out_proj.bias | (2,) | (2,) | 2 | Vector |" in plain.out


def test_known_names_load_no_heavy_library() -> None:
    done = subprocess.run([sys.executable, "-c", OUTSIDE_THE_ZOO], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_name_is_answered_in_well_under_three_seconds() -> None:
    started = time.perf_counter()
    assert deidlab_process("params", "xlm-roberta-large").status == 0
    assert time.perf_counter() - started < 3


def test_all_pages_and_their_rank(capsys: Capture, tmp_path: Path) -> None:
    assert deidlab(capsys, "params", "--all", "--out", tmp_path / "atlas").status == 0
    rank = (tmp_path / "atlas" / "README.md").read_text(encoding="utf-8").splitlines()
    models = [line.split('"')[1].removesuffix(".md") for line in rank[4:]]
    assert sorted(models) == sorted(model.name for model in known_models())
    assert models.index("biobert-base-cased-v1.1") < models.index("clinicalbert")
    assert all((tmp_path / "atlas" / f"{model}.md").is_file() for model in models)
    single = deidlab(capsys, "params", "albert-large-v2").out
    assert (tmp_path / "atlas" / "albert-large-v2.md").read_text(encoding="utf-8") == single


def test_json_goes_to_programs(capsys: Capture) -> None:
    by_flag = deidlab(capsys, "params", "bert-base", "--head", "token", "--labels", "41", "--json")
    by_format = deidlab(capsys, "params", "bert-base", "--head", "token", "--labels", "41", "-f", "json")
    assert by_flag.out == by_format.out
    assert json.loads(by_flag.out)["total"] == 108_923_177


def test_a_listing_has_no_header(capsys: Capture) -> None:
    out = deidlab(capsys, "params", "bert-base", "--format", "listing", "--head", "token").out
    assert out.startswith(
        "bert.embeddings.word_embeddings.weight torch.Size([30522, 768]) 参数个数为: 23440896\n\n"
    )


def test_the_arithmetic_is_explained(capsys: Capture) -> None:
    assert "(768×768+768)×3" in deidlab(capsys, "params", "bert-base", "--explain").out


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_picture_of_one_model_and_of_several(capsys: Capture, tmp_path: Path, suffix: str) -> None:
    for name, models in (("one", ["bert-base"]), ("two", ["bert-base", "albert-base"])):
        path = tmp_path / f"{name}{suffix}"
        assert deidlab(capsys, "params", *models, "--figure", path).status == 0
        assert path.stat().st_size > 1000


def test_a_page_can_go_to_a_file(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "page.html"
    outcome = deidlab(capsys, "params", "bert-base", "--format", "html", "--out", path)
    assert (outcome.status, outcome.out, outcome.err) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_study_s_tables(capsys: Capture) -> None:
    out = deidlab(capsys, "params", "--study").out
    assert "| Albert-XXLarge | 0.77 | 0.79 | 205,982,249 |" in out
    assert [line for line in out.splitlines() if line.startswith("## Appendix")][0::5] == [
        "## Appendix B: Bert-Base",
        "## Appendix G: Albert-XXLarge",
    ]


def test_what_fits(capsys: Capture) -> None:
    arguments = (
        "params",
        "bert-large",
        "--labels",
        "41",
        "--memory",
        "32GB",
        "--length",
        "512",
        "--optimizer",
        "adamw",
    )
    text = deidlab(capsys, *arguments, "--precision", "fp32")
    assert text.status == 0
    for part in (
        "weights",
        "gradients",
        "optimizer state",
        "activations, one window",
        "largest batch in 29.802 GiB",
    ):
        assert part in text.out
    full = json.loads(deidlab(capsys, *arguments, "--precision", "fp32", "--json").out)
    half = json.loads(deidlab(capsys, *arguments, "--precision", "bf16", "--json").out)
    assert full["weights"] == 4 * 334_134_313 == 2 * half["weights"]
    assert 12 <= full["largest_batch"] < half["largest_batch"]
    assert full["largest_batch_peak"] <= full["memory"]


def test_what_a_batch_takes(capsys: Capture) -> None:
    fits = deidlab(capsys, "params", "bert-base", "--batch", "35", "--memory", "32GB").out
    fails = deidlab(capsys, "params", "bert-base", "--batch", "3500", "--memory", "32GB").out
    assert "(fits)" in fits
    assert "(does not fit)" in fails
    assert "not even one window fits" in deidlab(capsys, "params", "bert-base", "--memory", "1GB").out


def test_several_models_in_one_table(capsys: Capture) -> None:
    out = deidlab(capsys, "params", "bert-base", "albert-base", "--memory", "32GB", "-f", "md").out
    assert "| bert-base-uncased |" in out
    assert "| albert-base-v2 |" in out


def test_the_list_of_names(capsys: Capture) -> None:
    listed = json.loads(deidlab(capsys, "params", "--list", "--json").out)
    assert [entry["model"] for entry in listed] == [model.name for model in known_models()]
    assert "roberta-base" in deidlab(capsys, "params", "--list").out


def test_an_unknown_name_is_one_line(capsys: Capture) -> None:
    outcome = deidlab(capsys, "params", "roberta-bsae")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("deidlab: unknown model 'roberta-bsae'; did you mean roberta-base")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bert-base", "--all"],
        ["--all"],
        ["--all", "--out", "x", "--format", "csv"],
        ["--study", "--labels", "2"],
        ["--study", "--format", "html"],
        ["bert-base", "--json", "--format", "csv"],
        ["bert-base", "--explain", "--json"],
        ["bert-base", "--precision", "bf16"],
        ["bert-base", "--figure", "x.svg", "--format", "md"],
        ["bert-base", "--figure", "x.svg", "--out", "y"],
        ["--list", "--memory", "32GB"],
        ["bert-base", "--memory", "32GB", "--format", "html"],
        ["bert-base", "--batch", "0"],
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert deidlab(capsys, "params", *arguments).status == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["bert-base", "--format", "xml"],
        ["bert-base", "--head", "tok"],
        ["bert-base", "--head", "mlm", "--labels", "3"],
        ["bert-base", "--memory", "lots"],
        ["bert-base", "--memory", "32GB", "--length", "513"],
        ["bert-base", "--memory", "32GB", "--precision", "fp8"],
        ["bert-base", "--figure", "x.gif"],
    ],
)
def test_impossible_settings_are_one_line(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = deidlab(capsys, "params", *arguments)
    assert (outcome.status, outcome.err.count("\n")) == (2 if "unknown" in outcome.err else 1, 1)
    assert outcome.err.startswith("deidlab: ")
