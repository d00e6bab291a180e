"""The journeys from notes to notes: detecting and masking, on disk and in memory.

detecting.py   source -> find -> the same corpus with spans
masking.py     source -> find -> settle each patient -> mask -> the same corpus, masked
counting.py    source -> find -> counts, and nothing written
streaming.py   a stream -> find -> settle -> mask -> a stream
restoring.py   masked notes and their map -> the notes as they were
calibrating.py how sure a detector is of real PHI -> the threshold that holds a wanted recall

io/            where notes come from and go to     run/   one pass over them, and what is kept of it
plan/          what a run will take
jobs.py, settings.py, loading.py (the detector of a run), keeping.py (columns that are carried over)
"""
