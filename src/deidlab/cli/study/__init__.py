"""`deidlab study …`: plan a comparison of models, run it, and report on it."""

from deidlab.cli.commands import LazyCommand, app_of

study = app_of(
    "study",
    "Compare models and settings on one corpus: a TOML file in, tables out.",
    LazyCommand(
        "deidlab.cli.study.plan",
        "plan",
        "Say what a study will take: runs, epochs, steps, GPU hours, money, and what is shared.",
    ),
    LazyCommand(
        "deidlab.cli.study.run",
        "run",
        "Train every setting of every model, select by validation F1, and test the selected.",
    ),
    LazyCommand(
        "deidlab.cli.study.report",
        "report",
        "Write a study's tables and figures from its records: the corpus is not needed.",
    ),
)
