"""The scorer of ReG@Triple: an MLP over question, head, relation, tail and DDE (ReG App. E, SubgraphRAG)."""

from __future__ import annotations

from torch import Tensor, nn
from torch_geometric.data import Data

from retrieval.nn.chain_length import ChainLength
from retrieval.nn.dde import compute_distance_features, count_distance_features
from retrieval.nn.query import Texts
from retrieval.nn.question_reader import QuestionReader
from retrieval.nn.text_match import TextMatcher, to_unit_variance


class TripleScorer(nn.Module):
    """logit of p(triple belongs to the evidence | question, candidate subgraph).

    The MLP's first layer is a sum of projections of its parts, each made once per question, entity or relation
    and gathered, never an [N, 4d] matrix.

    Args:
        text_features: d of the text encoder.
        hidden: H.
        longest: most hops of a chain.
        dropout: rate after the first layer.
        entity_texts: read the entities' labels.
        words: read the questions' words.
        texts: add a bilinear form of question and relation text to the logits.
        turning: the DDE encodes walks that turn too.
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        *,
        rounds: int,
        longest: int,
        dropout: float,
        entity_texts: bool,
        words: bool,
        texts: bool = True,
        turning: bool = True,
    ) -> None:
        super().__init__()
        self.rounds = rounds
        self.turning = turning
        self.question = QuestionReader(text_features, hidden, words=words)
        self.relation = nn.Linear(text_features, hidden, bias=False)
        self.head = nn.Linear(text_features, hidden, bias=False) if entity_texts else None
        self.tail = nn.Linear(text_features, hidden, bias=False) if entity_texts else None
        places = count_distance_features(rounds, turning=turning)
        self.head_place = nn.Linear(places, hidden, bias=False)
        self.tail_place = nn.Linear(places, hidden, bias=False)
        self.rest = nn.Sequential(
            nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )
        self.match = TextMatcher(text_features, 4.0) if texts else None
        self.length = ChainLength(text_features, longest)

    def encode_relations(self, texts: Tensor) -> Tensor:
        """What relations add, [R, d] -> [R, H]."""
        added: Tensor = self.relation(to_unit_variance(texts))
        return added

    def encode_entities(self, texts: Tensor) -> tuple[Tensor, Tensor]:
        """What entities add as heads and as tails, [m, d] -> two of [m, H]."""
        assert self.head is not None
        assert self.tail is not None
        return self.head(to_unit_variance(texts)), self.tail(to_unit_variance(texts))

    def forward(
        self,
        batch: Data,
        questions: Texts,
        relation_texts: Tensor,
        relations: Tensor,
        ends: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """Logits of all triples, [N].

        Args:
            batch: the candidate subgraphs, see ``Subgraphs.batch``.
            questions: B of them.
            relation_texts: text features of the relations, [R, d].
            relations: ``project_relations(relation_texts)``, [R, H].
            ends: what each slot adds as head and as tail, two of [n, H]; None without entity texts.
        """
        heads, tails = batch.edge_index
        places = compute_distance_features(heads, tails, batch.topics, self.rounds, turning=self.turning)
        as_head, as_tail = self.head_place(places), self.tail_place(places)
        if ends is not None:
            as_head, as_tail = as_head + ends[0], as_tail + ends[1]
        first = self.question(questions)[batch.edge_batch] + relations[batch.edge_type]
        first = first + as_head[heads] + as_tail[tails]
        logits: Tensor = self.rest(first).squeeze(1)
        if self.match is None:
            return logits
        matches: Tensor = self.match(questions.vectors, relation_texts)
        return logits + matches[batch.edge_batch, batch.edge_type]
