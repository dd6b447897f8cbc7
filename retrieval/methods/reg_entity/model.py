"""The scorer of ReG@Entity: principal neighbourhood aggregation over the candidate subgraph (ReG App. E)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from retrieval.methods.common.network_texts import PNA
from retrieval.nn.chain_length import ChainLength
from retrieval.nn.dde import compute_distance_features, count_distance_features
from retrieval.nn.entity_conv import EntityConvLayer
from retrieval.nn.pna import PNALayer, Walks
from retrieval.nn.query import Texts
from retrieval.nn.question_reader import QuestionReader
from retrieval.nn.text_match import TextMatcher, to_unit_variance


class EntityScorer(nn.Module):
    """logit of p(entity is on an evidence path | question, candidate subgraph).

    An entity begins with its DDE (and text), and hears of every neighbour through a relation that the question
    has opened or closed: the relation's part of a message is W r + V q + c(q, r) w with the bilinear match c.

    Args:
        text_features: d of the text encoder.
        hidden: F.
        layers: of message passing.
        longest: most hops of a chain.
        dropout: rate after each layer.
        entity_texts: read the entities' labels.
        words: read the questions' words.
        walks: score which walks are evidence too.
        places: walks are asked for by another query at each hop from the topic.
        norm: layer norm of what is read of a question, and of the states after each layer.
        texts: add the bilinear text match c to the messages.
        turning: the DDE encodes walks that turn too; ``places`` reads them.
        conv: ``pna``, or the name of a layer of PyG; see ``conv_layer.ConvLayer``.
        directed_relations: of the graph, for layers with a weight for each of them.
    """

    def __init__(
        self,
        text_features: int,
        hidden: int,
        *,
        layers: int,
        rounds: int,
        longest: int,
        dropout: float,
        entity_texts: bool,
        words: bool,
        walks: bool,
        places: bool,
        norm: bool,
        texts: bool = True,
        turning: bool = True,
        conv: str = PNA,
        directed_relations: int | None = None,
    ) -> None:
        super().__init__()
        self.rounds = rounds
        self.turning = turning
        self.place = nn.Linear(count_distance_features(rounds, turning=turning), hidden)
        self.entity = nn.Linear(text_features, hidden, bias=False) if entity_texts else None
        self.relations = nn.ModuleList(nn.Linear(text_features, hidden, bias=False) for _ in range(layers))
        self.question = QuestionReader(text_features, 2 * hidden, words=words)
        self.read = nn.LayerNorm(2 * hidden) if norm else nn.Identity()
        self.questions = nn.ModuleList(nn.Linear(2 * hidden, hidden) for _ in range(layers))
        self.matched = nn.ParameterList(nn.Parameter(torch.randn(hidden) * 0.1) for _ in range(layers if texts else 0))
        self.layers = nn.ModuleList(
            PNALayer(hidden, dropout, norm=norm)
            if conv == PNA
            else EntityConvLayer(conv, hidden, dropout, norm=norm, relations=directed_relations)
            for _ in range(layers)
        )
        self.asked = nn.Linear(2 * hidden, hidden)
        self.out = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.walk = WalkScorer(text_features, hidden, texts=texts) if walks else None
        self.wanted = WantedRelations(text_features, 2 * hidden, longest) if walks and places else None
        self.match = TextMatcher(text_features, 4.0) if texts else None
        self.length = ChainLength(text_features, longest)
        self.delta: Tensor
        self.register_buffer("delta", torch.tensor(1.0))

    def encode_relations(self, texts: Tensor) -> list[Tensor]:
        """What directed relations add to the messages of each layer, and to walks: [2R, d] -> [2R, F] each."""
        layers = [*self.relations, *([self.walk.relation] if self.walk is not None else [])]
        return [layer(to_unit_variance(texts)) for layer in layers]

    def encode_entities(self, texts: Tensor) -> Tensor:
        """What entities' labels add to their first state, [m, d] -> [m, F]."""
        assert self.entity is not None
        added: Tensor = self.entity(to_unit_variance(texts))
        return added

    def forward(
        self,
        batch: Data,
        questions: Texts,
        relation_texts: Tensor,
        relations: list[Tensor],
        entities: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Logits of all entity slots, [n], and of the facts walked forward and backward, [2, N]; None without walks.

        Args:
            batch: the candidate subgraphs, see ``Subgraphs.batch``.
            questions: B of them.
            relation_texts: text features of the directed relations, [2R, d].
            relations: ``project_relations(relation_texts)``.
            entities: ``project_entities(texts)`` of each slot, [n, F]; None without entity texts.
        """
        heads, tails = batch.edge_index
        ends: tuple[Tensor, Tensor, Tensor] = (heads, tails, batch.topics)
        places = compute_distance_features(*ends, self.rounds, turning=self.turning)
        x = self.place(places)
        if entities is not None:
            x = x + entities
        order, edge_index, relation, counts, graph = expand_both_ways(batch, len(relation_texts) // 2)
        sources, entered = edge_index
        walked = graph, relation
        # What a walk hears depends on its relation and question alone: made once for all walks that share them.
        pairs, pair = torch.unique(graph * len(relation_texts) + relation, return_inverse=True)
        graph, relation = pairs // len(relation_texts), pairs % len(relation_texts)
        matches = None
        if self.match is not None:
            matches = self.match(questions.vectors, relation_texts)[graph, relation].unsqueeze(1)
        read = self.read(self.question(questions))
        for i, layer in enumerate(self.layers):
            messages = relations[i][relation] + self.questions[i](read)[graph]
            if matches is not None:
                messages = messages + matches * self.matched[i]
            walks = Walks(edge_index, walked[1], messages.index_select(0, pair), counts)
            x = layer(x, walks, self.delta.item())
        queries = self.asked(read).index_select(0, batch.batch)
        logits: Tensor = self.out(torch.cat([x, torch.relu(x) * queries], dim=1)).squeeze(1)
        if self.walk is None:
            return logits, None
        messages = self.walk.encode_walks(relations[-1][relation], read[graph], matches)
        ways = self.walk(x, messages.index_select(0, pair), sources, entered)
        if self.wanted is not None:
            turning = places if self.turning else compute_distance_features(*ends, self.rounds)
            begins = count_hops_from_topic(turning, self.rounds).index_select(0, sources)
            ways = ways + self.wanted(read, relation_texts, *walked, begins)
        return logits, torch.zeros_like(ways).index_copy(0, order, ways).view(2, -1)


class WalkScorer(nn.Module):
    """logit of p(walking this fact is evidence | what is known of its ends, its relation and the question).

    Two paths may come through the same entities by other relations (who directed a film often wrote it), and then
    nothing in the entities' scores says which of them was asked for.

    Args:
        text_features: d of the text encoder.
        hidden: F, size of entity states.
        texts: hear the bilinear match of question and relation too.
    """

    def __init__(self, text_features: int, hidden: int, *, texts: bool = True) -> None:
        super().__init__()
        self.relation = nn.Linear(text_features, hidden, bias=False)
        self.question = nn.Linear(2 * hidden, hidden)
        self.matched = nn.Parameter(torch.randn(hidden) * 0.1) if texts else None
        self.left = nn.Linear(hidden, hidden, bias=False)
        self.entered = nn.Linear(hidden, hidden, bias=False)
        self.out = nn.Linear(hidden, 1)

    def encode_walks(self, relations: Tensor, read: Tensor, matches: Tensor | None) -> Tensor:
        """What relation and question say of k walks: [k, F], [k, 2F] and [k, 1] -> [k, F]."""
        summed: Tensor = relations + self.question(read)
        if matches is None or self.matched is None:
            return summed
        return summed + matches * self.matched

    def forward(self, x: Tensor, messages: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
        """Logits of M walks, [M], from the states of all slots, [n, F]."""
        ends = self.left(x).index_select(0, sources) + self.entered(x).index_select(0, targets)
        logits: Tensor = self.out(torch.relu(ends + messages)).squeeze(1)
        return logits


class WantedRelations(nn.Module):
    """How much a question wants a relation at each hop from the topic: <W_hop q, V r>.

    A sum of what relation, question and place say, which the scorer of walks reads, hardly tells "the directors of
    the films that X wrote" from "the writers of the films that X directed"; products do.

    Args:
        text_features: d of the text encoder.
        size: of what is known of a question, and of the vectors that are compared.
        longest: most hops of a chain.
    """

    def __init__(self, text_features: int, size: int, longest: int) -> None:
        super().__init__()
        self.query = nn.Linear(size, longest * size)
        self.relation = nn.Linear(text_features, size, bias=False)
        self.longest = longest

    def forward(self, read: Tensor, relation_texts: Tensor, graph: Tensor, relation: Tensor, begins: Tensor) -> Tensor:
        """What is added to the logits of M walks, [M].

        Args:
            read: of B questions, [B, size].
            relation_texts: text features of the directed relations, [2R, d].
            graph: question of each walk, int64 [M].
            relation: directed relation of each walk, int64 [M].
            begins: hops from the topic at which each walk begins, int64 [M].
        """
        queries = self.query(read).view(len(read), self.longest, -1)
        known = self.relation(to_unit_variance(relation_texts))
        wanted = (queries @ known.T) * known.shape[1] ** -0.5  # [B, L, 2R]
        place = graph * self.longest + begins.clamp(max=self.longest - 1)
        scores: Tensor = wanted.flatten().index_select(0, place * len(relation_texts) + relation)
        return scores


def count_hops_from_topic(places: Tensor, rounds: int) -> Tensor:
    """How far slots are from their topics, whichever way the facts are walked; ``rounds + 1`` beyond. int64 [n].

    Args:
        places: ``distance_features`` of the slots, [n, 1 + 6 rounds].
        rounds: theirs; at least 1.
    """
    reached = places[:, -rounds:].cummax(1).values  # by walks of 1, 2, ... triples or fewer
    hops: Tensor = torch.where(places[:, 0] > 0, 0, 1 + rounds - reached.sum(1)).long()
    return hops


def expand_both_ways(batch: Data, relations: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Every triple walked both ways, in the order of the slots entered.

    Returns:
        Which walk comes where (the facts forward, then backward), [2N]; slots left and entered, [2, 2N]; directed
        relation of each walk, [2N]; walks that enter each slot, [n]; subgraph of each walk, [2N]: (order, edge_index,
        relation, counts, graph).
    """
    heads, tails = batch.edge_index
    entered = torch.cat([tails, heads])
    order = torch.argsort(entered, stable=True)
    edge_index = torch.stack([torch.cat([heads, tails])[order], entered[order]])
    relation = torch.cat([batch.edge_type, batch.edge_type + relations])[order]
    graph = torch.cat([batch.edge_batch, batch.edge_batch])[order]
    return order, edge_index, relation, torch.bincount(entered, minlength=len(batch.topics)), graph


def compute_entity_loss(logits: Tensor, positive: Tensor) -> Tensor:
    """ReG eq. 34, negated and divided by the number of entities: binary cross-entropy over every candidate.

    Args:
        logits: of entities, or of walks, [n].
        positive: it is on a labelled path, [n] bool.
    """
    return nn.functional.binary_cross_entropy_with_logits(logits, positive.to(logits.dtype))
