"""`deidlab dossier …`: evidence of masking runs in one folder, signed, and checked by whoever has it."""

from deidlab.cli.commands import LazyCommand, app_of

_HERE = "deidlab.cli.dossier"

dossier = app_of(
    "dossier",
    "One folder that a third person can check: runs, validation, policy, approvals, signed.",
    LazyCommand(
        f"{_HERE}.adding", "new", "Open a dossier: a folder with a page and a signed chain of entries."
    ),
    LazyCommand(
        f"{_HERE}.adding", "add", "Add masking runs and evidence that was given, an entry each, signed."
    ),
    LazyCommand(f"{_HERE}.adding", "approve", "Approve all that is in a dossier by name, until a day."),
    LazyCommand(
        f"{_HERE}.verify", "verify", "Check a dossier from its files alone, and name what was changed."
    ),
)
