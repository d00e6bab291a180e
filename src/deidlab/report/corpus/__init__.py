"""Counts of a corpus in, its tables and a chart out."""
