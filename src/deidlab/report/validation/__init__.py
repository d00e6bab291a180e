"""A masking run in, a protocol of what to read out; what readers said in, the bounds that this allows out."""
