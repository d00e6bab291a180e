"""Whole schemas: databases, and folders of CSV or Parquet, every column of which a plan names and classifies.

schema.py   what is there: tables, columns, keys
opening.py  where it is read and written: database.py and filling.py, duck.py and
            duck_filling.py, folder.py (stores.py and declaring.py: what they share)
classes.py  what a column can be; plan.py: a TOML that says so of each
propose.py  a first plan from names, types and shapes.py
rows.py     a row as a container, and back
"""

ENDINGS = (".csv", ".tsv", ".parquet")
"""Of files that are tables."""
