"""Rules for Spanish notes.

The Spanish model learned from one corpus, whose notes look much alike; these find what stands out in others.
"""
