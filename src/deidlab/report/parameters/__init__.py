"""Tensors of models in, listings, pages, pictures and what fits in memory out."""
