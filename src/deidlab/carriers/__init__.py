"""Containers with text in them: what stands at each place out, the container rebuilt around what was masked.

A carrier is two functions over the bytes of one container. `corpus/formats` has a file for each, which makes
it a format like any other, so that everything that reads notes reads letters and records too.
"""

from deidlab.carriers.carrier import KEY, Carrier, Parts, Piece, Refused, Removed, split_label, typed_label

__all__ = ["KEY", "Carrier", "Parts", "Piece", "Refused", "Removed", "split_label", "typed_label"]
