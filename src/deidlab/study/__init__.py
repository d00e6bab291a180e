"""A study: models and settings compared on one corpus, from a TOML file to records that a report is made of.

spec (the file) -> settings (the grid) -> jobs (what is trained together) -> running (processes, completions)
-> selection -> testing (the test notes are opened here, and not before) -> records (all of it, read again)
"""
