from __future__ import annotations

from deidlab.report.parameters.study import appendices, appendix_table, study_table, study_to_json
from deidlab.zoo.study import STUDY_MODELS

TABLE_1 = """
Bert-Base	0.41	0.42	108,923,177	12	30,522	768	768	3072	0.1	GELU	False	MLM/NSP
Roberta-Base	0.46	0.47	124,086,569	12	50,265	768	768	3072	0.1	GELU	False	MLM
Albert-Base	0.04	0.04	11,124,521	12	30,000	128	768	3072	0.0	GELU	True	MLM/SOP
Bert-Large	1.24	1.24	334,134,313	24	30,522	1024	1024	4096	0.1	GELU	False	MLM/NSP
Roberta-Large	1.32	1.32	354,352,169	24	50,265	1024	1024	4096	0.1	GELU	False	MLM
Albert-XXLarge	0.77	0.79	205,982,249	12	30,000	128	4096	16,384	0.0	GELU	True	MLM/SOP
"""


def test_table_1_is_the_study_s_with_our_size_before_its_file_size() -> None:
    expected = tuple(tuple(line.split("\t")) for line in TABLE_1.strip().splitlines())
    assert study_table().rows == expected


def test_appendices_run_from_b_to_g() -> None:
    titles = [appendix_table(study).title for study in appendices()]
    assert titles == [
        "Appendix B: Bert-Base",
        "Appendix C: Bert-Large",
        "Appendix D: Roberta-Base",
        "Appendix E: Roberta-Large",
        "Appendix F: Albert-Base",
        "Appendix G: Albert-XXLarge",
    ]


def test_an_appendix_lists_modules_in_order_with_dots_for_underscores() -> None:
    table = appendix_table(STUDY_MODELS[0])
    assert [column.title for column in table.columns] == ["Module", "Number Parameters"]
    assert table.rows[0] == ("bert.embeddings.word.embeddings.weight", "23440896")
    assert table.rows[2] == ("bert.embeddings.token.type.embeddings.weight", "1536")
    assert table.rows[-1] == ("classifier.bias", "41")
    assert not any("_" in module or "pooler" in module for module, _ in table.rows)
    assert sum(int(count) for _, count in table.rows) == 108_923_177


def test_the_same_as_data() -> None:
    answer = study_to_json()
    assert answer["table_1"][2]["parameters"] == 11_124_521
    modules = answer["appendices"]["F"]["modules"]
    assert sum(module["parameters"] for module in modules) == 11_124_521
