"""Scores in, their tables, rows, JSON and pictures out."""
