"""One vector of a question, from its text and its words."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from retrieval.nn.query import Texts
from retrieval.nn.text_match import to_unit_variance

#: Places of the question that are looked at.
_LOOKS = 4


class QuestionReader(nn.Module):
    """Reads a question once, before any triple is scored.

    A linear layer of the text's embedding; with ``words``, a bidirectional GRU reads the words and a few learned
    looks at them are added: one vector for the whole text does not tell "who wrote films that X directed" from
    "who directed films that X wrote".

    Args:
        text_features: d of the text encoder.
        hidden: H.
        words: read the words.
    """

    def __init__(self, text_features: int, hidden: int, *, words: bool) -> None:
        super().__init__()
        self.text = nn.Linear(text_features, hidden)
        self.gru = nn.GRU(text_features, hidden, batch_first=True, bidirectional=True) if words else None
        self.looks = nn.Linear(2 * hidden, _LOOKS)
        self.seen = nn.Linear(_LOOKS * 2 * hidden, hidden, bias=False)

    def forward(self, texts: Texts) -> Tensor:
        """[n, H]."""
        read: Tensor = self.text(to_unit_variance(texts.vectors))
        if self.gru is None or texts.words is None or texts.lengths is None:
            return read
        packed = pack_padded_sequence(
            to_unit_variance(texts.words), texts.lengths, batch_first=True, enforce_sorted=False
        )
        words, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True)  # [n, L, 2H]
        outside = torch.arange(words.shape[1]) >= texts.lengths.unsqueeze(1)
        weights = self.looks(words).masked_fill(outside.unsqueeze(2), -torch.inf).softmax(dim=1)
        seen = torch.einsum("nlk,nlh->nkh", weights, words)
        both: Tensor = read + self.seen(seen.flatten(1))
        return both
