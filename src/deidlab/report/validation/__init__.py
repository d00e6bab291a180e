"""A masking run in, a protocol of what is to be read out; what readers said in, the bounds that this allows."""
