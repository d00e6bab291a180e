"""A row in, its loss out: cross-entropy of tags or of teachers' targets, or a CRF over a window's words."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from deidlab.detect.packed.tagger import Tagger, spread_windows
from deidlab.encode.packing import RowShape
from deidlab.encode.shapes import SPECIAL
from deidlab.encode.windows import IGNORED


class TagLoss(nn.Module):  # type: ignore[misc]
    """Mean loss over the pieces that decide, with the sums that metrics are made of."""

    def __init__(
        self,
        tagger: Tagger,
        smoothing: float = 0.0,
        weights: torch.Tensor | None = None,
        hidden_share: float = 0.0,
        hidden_id: int = 0,
    ) -> None:
        """`hidden_share` of the pieces is replaced by `hidden_id` at each step, as `hide_pieces` does."""
        super().__init__()
        self.tagger = tagger
        self.hidden_share, self.hidden_id = hidden_share, hidden_id
        self.smoothing = smoothing
        self.weights = nn.Buffer(weights, persistent=False) if weights is not None else None

    def forward(self, row: torch.Tensor, shape: RowShape) -> tuple[Any, Any]:
        """The loss, and a vector of: loss summed over pieces, pieces that decide, those tagged right."""
        ids = hide_pieces(row, shape, self.hidden_share, self.hidden_id) if self.hidden_share else None
        scores = self.tagger(row, shape, ids).float()
        labels = _labels(row, shape)
        decides = labels != IGNORED
        n_decide = decides.sum()
        if self.tagger.steps is None:
            loss = functional.cross_entropy(
                scores,
                labels,
                self.weights,
                ignore_index=IGNORED,
                label_smoothing=self.smoothing,
                reduction="sum",
            )
            share = n_decide if self.weights is None else self.weights[labels.clamp(min=0)].mul(decides).sum()
            loss = loss / share.clamp(min=1e-6)
        else:
            summed = crf_loss(scores, labels, row[shape.edges], self.tagger.steps.float(), shape.longest)
            loss = summed / n_decide.clamp(min=1)
        right = ((scores.argmax(dim=1) == labels) & decides).sum()
        with torch.no_grad():
            sums = torch.stack([loss.detach().double() * n_decide, n_decide.double(), right.double()])
        return loss, sums


class TaughtLoss(nn.Module):  # type: ignore[misc]
    """The same with a table of targets: a row's labels are the numbers of its pieces in that table."""

    def __init__(
        self, tagger: Tagger, targets: torch.Tensor, hidden_share: float = 0.0, hidden_id: int = 0
    ) -> None:
        super().__init__()
        self.tagger = tagger
        self.hidden_share, self.hidden_id = hidden_share, hidden_id
        self.targets = nn.Buffer(targets, persistent=False)

    def forward(self, row: torch.Tensor, shape: RowShape) -> tuple[Any, Any]:
        """The loss, and a vector of: loss summed over pieces, pieces that decide, those tagged as wanted."""
        ids = hide_pieces(row, shape, self.hidden_share, self.hidden_id) if self.hidden_share else None
        scores = self.tagger(row, shape, ids).float()
        numbers = _labels(row, shape)
        decides = numbers != IGNORED
        n_decide = decides.sum()
        wanted = self.targets[numbers.clamp(min=0)].float()
        each = -(wanted * scores.log_softmax(dim=1)).sum(dim=1)
        loss = torch.where(decides, each, 0.0).sum() / n_decide.clamp(min=1)
        right = ((scores.argmax(dim=1) == wanted.argmax(dim=1)) & decides).sum()
        with torch.no_grad():
            sums = torch.stack([loss.detach().double() * n_decide, n_decide.double(), right.double()])
        return loss, sums


def _labels(row: torch.Tensor, shape: RowShape) -> Any:
    """The labels of the pieces that scores are of."""
    labels = row[shape.field(2)].long()
    return labels[row[shape.deciding].long()] if shape.n_deciding else labels


def hide_pieces(row: torch.Tensor, shape: RowShape, share: float, hidden_id: int) -> Any:
    """The row's piece ids with a random share hidden, so that context must tell; special ones stay."""
    ids = row[shape.field(0)].long()
    hides = (torch.rand(ids.shape, device=ids.device) < share) & (row[shape.field(3)] != SPECIAL)
    return torch.where(hides, hidden_id, ids)


def crf_loss(
    scores: torch.Tensor, labels: torch.Tensor, edges: torch.Tensor, steps: torch.Tensor, longest: int
) -> Any:
    """Minus the log-likelihood of the gold tags, summed over windows; only pieces that decide count."""
    places, real = spread_windows(edges, longest if edges.is_cuda else None)
    labels = torch.where(real, labels[places], IGNORED)
    scores = scores[places]
    n_windows, n_tags = len(labels), scores.shape[2]
    reached = scores.new_zeros(n_windows, n_tags)
    gold = scores.new_zeros(n_windows)
    before = labels.new_full((n_windows,), IGNORED)
    for place in range(labels.shape[1]):
        label, score = labels[:, place], scores[:, place]
        here, begun = label != IGNORED, before != IGNORED
        onward = torch.logsumexp(reached[:, :, None] + steps[None], dim=1)
        reached = torch.where(here[:, None], torch.where(begun[:, None], onward, 0.0) + score, reached)
        step = torch.where(begun, steps[before.clamp(min=0), label.clamp(min=0)], 0.0)
        gain = score.gather(1, label.clamp(min=0)[:, None])[:, 0] + step
        gold = gold + torch.where(here, gain, 0.0)
        before = torch.where(here, label, before)
    whole = torch.where(before != IGNORED, torch.logsumexp(reached, dim=1), 0.0)
    return (whole - gold).sum()


def weigh_tags(counts: torch.Tensor, how: str) -> Any:
    """A weight for each tag from how often it decides a piece; none where all weigh the same."""
    if how == "none":
        return None
    share = counts.double().clamp(min=1)
    rarity = share.sum() / (len(share) * share)
    weights = rarity.sqrt() if how == "sqrt" else rarity
    # A tag seen once must not outweigh the rest of a batch.
    return weights.clamp(max=100.0).float()
