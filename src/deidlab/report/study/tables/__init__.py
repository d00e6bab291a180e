"""The tables of a study's report: each file here registers its own; the order is in `study/contents.py`."""
