"""Taggers over packed windows, with torch: what trains is what predicts. On a GPU with kernels of its own."""

from deidlab.detect.processor import limit_instructions

# Before any module here loads torch.
limit_instructions()
