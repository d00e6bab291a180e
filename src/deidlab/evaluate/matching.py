"""Possible pairs in, the largest set of them in which nothing stands twice out, by Hopcroft and Karp.

Rounds of shortest augmenting paths, each found by a search without recursion: a note in which thousands of
spans overlap in one chain must neither exhaust the stack nor take a time that grows with their square.
"""

from __future__ import annotations

from collections.abc import Sequence

FREE = -1


def largest_matching(left: Sequence[int], right: Sequence[int], n_left: int, n_right: int) -> list[int]:
    """The partner of each on the left, or FREE, where (left[i], right[i]) are the pairs that are possible."""
    neighbours: list[list[int]] = [[] for _ in range(n_left)]
    for one, other in zip(left, right, strict=True):
        neighbours[one].append(other)
    partner, owner = [FREE] * n_left, [FREE] * n_right
    # Most find a partner at once: only what is left then needs paths.
    for one, others in enumerate(neighbours):
        other = next((other for other in others if owner[other] == FREE), FREE)
        if other != FREE:
            partner[one], owner[other] = other, one
    while True:
        depth = _depths(neighbours, partner, owner)
        tried = [0] * n_left
        starts = [one for one in range(n_left) if partner[one] == FREE and neighbours[one]]
        if not sum(_augment(one, neighbours, partner, owner, depth, tried) for one in starts):
            return partner


def _depths(neighbours: list[list[int]], partner: list[int], owner: list[int]) -> list[int]:
    """How many pairs lie between each on the left and one without a partner; FREE where there is no path."""
    depth = [FREE if other != FREE else 0 for other in partner]
    layer = [one for one, other in enumerate(partner) if other == FREE and neighbours[one]]
    found = False
    while layer and not found:
        following = []
        for one in layer:
            for other in neighbours[one]:
                rival = owner[other]
                found = found or rival == FREE
                if rival != FREE and depth[rival] == FREE:
                    depth[rival] = depth[one] + 1
                    following.append(rival)
        layer = following
    return depth


def _augment(
    start: int,
    neighbours: list[list[int]],
    partner: list[int],
    owner: list[int],
    depth: list[int],
    tried: list[int],
) -> bool:
    """Follow a shortest path from `start` to somebody free and turn its pairs over; whether there was one."""
    path = [start]
    while path:
        one = path[-1]
        if tried[one] == len(neighbours[one]):
            path.pop()
            continue
        other = neighbours[one][tried[one]]
        tried[one] += 1
        rival = owner[other]
        if rival == FREE:
            for each in path:
                taken = neighbours[each][tried[each] - 1]
                partner[each], owner[taken] = taken, each
            return True
        if depth[rival] == depth[one] + 1:
            path.append(rival)
    return False
