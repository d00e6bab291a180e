"""A masking run's record in, its audit out: counts, a second look, gold, a sample, and one page."""
