"""Masked-language modelling over rows: pieces are hidden anew at each step, and only those are predicted."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deidlab.detect.packed.tagger import first_position, run_encoder
from deidlab.encode.packing import RowShape, build_rows, choose_row_shape, n_used, pack_windows
from deidlab.encode.pieced import PiecedCorpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.shapes import SPECIAL
from deidlab.encode.windows import IGNORED

# Of the pieces to predict, eight in ten are hidden, one becomes a random piece, and one stays as it is.
_HIDDEN, _RANDOM = 0.8, 0.1


class MaskLoss(nn.Module):  # type: ignore[misc]
    """Mean loss over a constant number of pieces of a row, drawn anew each time."""

    def __init__(self, model: nn.Module, share: float, hidden_id: int) -> None:
        super().__init__()
        self.model = model
        self.share, self.hidden_id = share, hidden_id

    def forward(self, row: torch.Tensor, shape: RowShape) -> tuple[Any, Any]:
        """The loss, and a vector of: loss summed over the pieces predicted, their number, those got right."""
        ids = row[shape.field(0)].long()
        n_predicted = max(1, math.ceil(self.share * shape.n_pieces))
        lot = torch.rand(ids.shape, device=ids.device)
        lot = torch.where(row[shape.field(3)] != SPECIAL, lot, -1.0)
        drawn, places = lot.topk(n_predicted)
        counts = (drawn >= 0).float()
        wanted = ids[places]
        scores = predict_pieces(self.model, row, shape, ids.scatter(0, places, self._hide(wanted)), places)
        losses = functional.cross_entropy(scores, wanted, reduction="none") * counts
        total = counts.sum()
        right = ((scores.argmax(dim=1) == wanted) * counts).sum()
        with torch.no_grad():
            sums = torch.stack([losses.sum().double(), total.double(), right.double()])
        return losses.sum() / total.clamp(min=1), sums

    def _hide(self, wanted: torch.Tensor) -> Any:
        lot = torch.rand(wanted.shape, device=wanted.device)
        n_pieces = self.model.get_input_embeddings().weight.shape[0]
        other = torch.randint(0, n_pieces, wanted.shape, device=wanted.device)
        return torch.where(lot < _HIDDEN, self.hidden_id, torch.where(lot < _HIDDEN + _RANDOM, other, wanted))


def predict_pieces(
    model: nn.Module, row: torch.Tensor, shape: RowShape, ids: torch.Tensor, places: torch.Tensor
) -> Any:
    """Scores over the vocabulary for the pieces at some places of a row."""
    for name in ("cls", "lm_head", "predictions"):
        head = getattr(model, name, None)
        if head is not None:
            seen = run_encoder(model.base_model, row, shape, ids=ids).last_hidden_state[0]
            return head(seen[places][None])[0].float()
    return run_encoder(model, row, shape, ids=ids).logits[0][places].float()


def hide_for_good(corpus: PiecedCorpus, share: float, pieces: WordPieces, seed: int) -> PiecedCorpus:
    """The corpus with pieces hidden once and for all, each the label of its place: what is validated on."""
    draw = np.random.default_rng(seed)
    chosen = (draw.random(corpus.n_pieces) < share) & (corpus.shapes != SPECIAL)
    if not chosen.any():
        chosen[int(np.argmax(corpus.shapes != SPECIAL))] = True
    return replace(
        corpus,
        ids=np.where(chosen, pieces.hidden, corpus.ids).astype(np.int32),
        labels=np.where(chosen, corpus.ids, IGNORED).astype(np.int32),
    )


@torch.no_grad()  # type: ignore[untyped-decorator]
def score_hidden(
    model: nn.Module, corpus: PiecedCorpus, device: torch.device, batch: float = 32
) -> tuple[Any, Any]:
    """For each labelled piece, in order: the log-probability of its label, and whether it comes first."""
    was_training = model.training
    model.eval()
    shape = choose_row_shape(corpus, batch, first_position(model))
    lengths = corpus.lengths.tolist()
    chances = np.full(corpus.n_pieces, np.nan)
    first = np.zeros(corpus.n_pieces, np.bool_)
    for windows in pack_windows(lengths, list(range(corpus.n_windows)), shape):
        own = RowShape(n_used(windows, lengths), len(windows), shape.longest, shape.first_position)
        row = torch.from_numpy(build_rows(corpus, [windows], own)[0]).to(device)
        labels = row[own.field(2)].long()
        places = (labels != IGNORED).nonzero()[:, 0]
        if not len(places):
            continue
        scores = predict_pieces(model, row, own, row[own.field(0)].long(), places)
        found = functional.log_softmax(scores, dim=1).gather(1, labels[places][:, None])[:, 0]
        at = np.concatenate([np.arange(corpus.starts[w], corpus.starts[w + 1]) for w in windows])
        chances[at[places.cpu().numpy()]] = found.cpu().numpy()
        first[at[places.cpu().numpy()]] = (scores.argmax(dim=1) == labels[places]).cpu().numpy()
    model.train(was_training)
    labelled = corpus.labels != IGNORED
    return chances[labelled], first[labelled]
