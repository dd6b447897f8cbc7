"""The question side of the path retrievers: z_q, its history, and the STOP node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@dataclass(frozen=True, slots=True)
class Texts:
    """What the frozen text encoder says of n questions.

    Attributes:
        vectors: of the whole texts, [n, d].
        words: of their words in context, zeros after the end, [n, L, d]; None where they are not read.
        lengths: words of each, at least 1, [n] int64; None without words.
    """

    vectors: Tensor
    words: Tensor | None = None
    lengths: Tensor | None = None


@dataclass(frozen=True, slots=True)
class EncodedQuestions:
    """n questions as the model reads them.

    Attributes:
        vectors: as in :class:`Texts`, [n, d].
        z_q: [n, H].
        words: [n, L, 2H], or None.
        mask: where there is a word, [n, L] bool, or None.
    """

    vectors: Tensor
    z_q: Tensor
    words: Tensor | None = None
    mask: Tensor | None = None


class QueryEncoder(nn.Module):
    """The question, and the question given the path so far.

    ``z_q`` is an MLP of the question's embedding. The papers score every step with this one vector; the
    switches go beyond it (docs/adr/0002).

    Args:
        text_features: d, size of the question embedding.
        hidden: H.
        dropout: rate in z_q's MLP.
        history: the query of step i is a GRU's state that began at z_q and read the states of the i triples
            taken, instead of z_q itself.
        words: at every step the query attends to the question's words, which a bidirectional GRU reads: one
            vector for the whole text does not tell "the mother of X's son" from "the son of X's mother".
        texts: add to the scores a bilinear form of question and relation text that starts as their cosine,
            so that a relation seen in no training question can still be followed.
        stop: the STOP node is ``sum`` of taken states + z_q (REL-RAG eq. 11), or an ``mlp`` of both (RAPL eq. 5).
        scaled: divide inner products by sqrt(H).
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        dropout: float = 0.2,
        *,
        history: bool = True,
        words: bool = True,
        texts: bool = True,
        stop: Literal["sum", "mlp"] = "mlp",
        scaled: bool = True,
    ) -> None:
        super().__init__()
        self.question = nn.Sequential(
            nn.Linear(text_features, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden),
        )
        self.gru = nn.GRUCell(hidden, hidden) if history else None
        self.query = nn.Linear(hidden, hidden) if history else None
        self.attention = WordAttention(text_features, hidden, dropout) if words else None
        self.stop = (
            nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
            if stop == "mlp"
            else None
        )
        self.text = RelationTexts(text_features, hidden) if texts else None
        self.scale = hidden**-0.5 if scaled else 1.0

    def read(self, texts: Texts) -> EncodedQuestions:
        """z_q of n questions, and their words."""
        z_q: Tensor = self.question(texts.vectors)
        if self.attention is None or texts.words is None or texts.lengths is None:
            return EncodedQuestions(texts.vectors, z_q)
        words = self.attention.read(texts.words, texts.lengths)
        mask = torch.arange(words.shape[1]) < texts.lengths.unsqueeze(1)
        return EncodedQuestions(texts.vectors, z_q, words, mask)

    def compute_focus(self, questions: EncodedQuestions, rows: Tensor, memory: Tensor) -> Tensor:
        """The memory with the words that matter now, [n, H]; ``rows`` says whose question each memory has."""
        if self.attention is None or questions.words is None or questions.mask is None:
            return memory
        looked: Tensor = self.attention(memory, questions.words[rows], questions.mask[rows])
        return memory + looked

    def update_memory(self, focus: Tensor, taken: Tensor) -> Tensor:
        """The memory after one more triple. [n, H] focus and [n, H] the triple's state -> [n, H]."""
        if self.gru is None:
            return focus
        after: Tensor = self.gru(taken, focus)
        return after

    def compute_queries(self, focus: Tensor) -> Tensor:
        """Vectors to score triple states with by inner product. [n, H]."""
        query: Tensor = focus if self.query is None else focus + self.query(focus)
        scaled: Tensor = query * self.scale
        return scaled

    def stop_states(self, z_q: Tensor, taken: Tensor) -> Tensor:
        """State of the STOP node, [n, H].

        Args:
            z_q: [n, H].
            taken: sum of the states of the triples taken, [n, H].
        """
        if self.stop is None:
            return taken + z_q
        state: Tensor = self.stop(torch.cat([taken, z_q], dim=1))
        return state

    def compute_text_scores(
        self, questions: EncodedQuestions, rows: Tensor, focus: Tensor, relations: Tensor
    ) -> Tensor | None:
        """What is added to the scores of each directed relation's triples, [n, 2R]; None without ``texts``.

        Args:
            rows: whose question each focus has, [n].
            focus: [n, H].
            relations: text features of the relations, [2R, d].
        """
        if self.text is None:
            return None
        scores: Tensor = self.text(questions.vectors[rows], focus, relations)
        return scores


class RelationTexts(nn.Module):
    """A bilinear form of question and relation text that starts as their cosine and moves with the focus."""

    def __init__(self, text_features: int, hidden: int) -> None:
        super().__init__()
        self.question = nn.Linear(text_features, text_features, bias=False)
        nn.init.eye_(self.question.weight)
        self.focus = nn.Linear(hidden, text_features, bias=False)
        nn.init.zeros_(self.focus.weight)
        self.scale = nn.Parameter(torch.tensor(8.0))

    def forward(self, vectors: Tensor, focus: Tensor, relations: Tensor) -> Tensor:
        """[n, d] question vectors, [n, H] focus, [2R, d] relations -> [n, 2R]."""
        wanted = self.question(vectors) + self.focus(focus)
        scores: Tensor = self.scale * (wanted @ relations.T)
        return scores


class WordAttention(nn.Module):
    """Reads a question's words in both directions, and looks at those that a memory asks for."""

    def __init__(self, text_features: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.word = nn.Linear(text_features, hidden)
        self.dropout = nn.Dropout(dropout)
        self.reader = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.key = nn.Linear(hidden, 2 * hidden, bias=False)
        self.value = nn.Linear(2 * hidden, hidden)
        self.scale = hidden**-0.5

    def read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """[n, L, d] words of [n] lengths -> [n, L, 2H], zeros after the end."""
        packed = pack_padded_sequence(self.dropout(self.word(words)), lengths, batch_first=True, enforce_sorted=False)
        read: Tensor = pad_packed_sequence(self.reader(packed)[0], batch_first=True)[0]
        return read

    def forward(self, memory: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        """[n, H] memory, [n, L, 2H] words, [n, L] mask -> [n, H]."""
        scores = torch.einsum("nh,nlh->nl", self.key(memory), words) * self.scale
        weights = scores.masked_fill(~mask, -torch.inf).softmax(1)
        looked: Tensor = self.value(torch.einsum("nl,nlh->nh", weights, words))
        return looked
