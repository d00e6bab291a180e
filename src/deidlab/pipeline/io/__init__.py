"""Where a run's notes come from and go to; a run asks a source or a sink and never what kind it is.

kinds.py      Source and Sink: what each kind does
opening.py    a description -> its source or sink: the one list of kinds, loaded when asked for
notes.py      numbered notes, cut into tasks
files.py      files, folders and standard input (checking.py, counting.py, pinning.py); file_sink.py
parquet.py    Parquet files, whose tasks can be read on any machine
tables.py     tables of a database, both ways
"""
