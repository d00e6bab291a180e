"""`deidlab validate …`: lay down what is to be shown, read for it, say what it shows, watch that it lasts."""

from deidlab.cli.commands import LazyCommand, app_of

validate = app_of(
    "validate",
    "Evidence by reading: a protocol first, a sample for people, bounds on what leaks.",
    LazyCommand(
        "deidlab.cli.validate.plan",
        "plan",
        "Lay down the wanted bound: how many notes of each kind to read, and when to stop.",
    ),
    LazyCommand(
        "deidlab.cli.validate.read",
        "read",
        "Read the sample in the browser: original beside masked, each reader apart.",
    ),
    LazyCommand(
        "deidlab.cli.validate.report",
        "report",
        "Say what the reading shows: bounds by stratum and overall, what leaked, agreement.",
    ),
    LazyCommand(
        "deidlab.cli.validate.drift",
        "drift",
        "Say whether later notes still look like those that were validated.",
    ),
)
