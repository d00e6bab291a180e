"""Where a run's notes come from and go to: files, Parquet, tables of a database."""
