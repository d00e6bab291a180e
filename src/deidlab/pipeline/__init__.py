"""The journeys from notes to notes: detecting and masking, on disk and in memory.

detecting.py   source -> find -> the same corpus with spans
masking.py     source -> find -> settle each patient -> mask -> the same corpus, masked
counting.py    source -> find -> counts, and nothing written
memory.py      the same two passes for notes in memory
"""
