"""One setting and a corpus in, one run folder out: fine-tuning, further pretraining, export.

Light modules (`settings`, `presets`, `record`) load at once; those that need torch load it when imported.
"""
