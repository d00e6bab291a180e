"""Taggers over packed windows, with torch: what trains is what predicts. On a GPU with kernels of its own."""
