"""From labels to what the triple scorers learn: which triples and entities are evidence for a question."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval.errors import TrainingDataError
from retrieval.kg import search
from retrieval.kg.search import walks
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot, find_facts
from retrieval.linking.questions import QuestionTexts, replace_topic_names
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.triples.candidates.base import CandidateStrategy
from retrieval.methods.triples.subgraphs import Subgraphs, build_subgraphs
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, select_usable, to_directed_path
from retrieval.supervision.refined_labels import select_facts
from retrieval.types import Progress

#: At most so many questions are also encoded as written, for mentions that are not found when asking.
_AS_WRITTEN = 600


@dataclass(frozen=True, slots=True)
class TripleEvidence:
    """What the labelled relation paths walk from a topic to the answers.

    Attributes:
        arcs: arc ids, int64, ascending.
        entities: entity ids, int64, ascending; the topic is among them.
    """

    arcs: np.ndarray
    entities: np.ndarray


@dataclass(frozen=True, slots=True)
class TripleExamples:
    """N labelled (question, topic) pairs.

    Attributes:
        simple: walks never come back to their topic.
        topics: entity ids, int64 [N].
        paths: the labelled relation paths of each, as directed relations.
        answers: entity ids of the question's answers, ascending.
        rows: row of ``texts`` for the question as seen from the topic, int64 [N].
        as_written: row for the question as written, or ``rows`` again, int64 [N].
        lengths: share of the labelled paths that have 1, 2, ... hops, float32 [N, L].
        texts: each distinct one once.
        facts: arc ids of single facts that are evidence too, of each example.
        own: fact ids of the question's own subgraph (its ``triples``), ascending; None where it has none. Nothing
            else is walked then.
    """

    snapshot: Snapshot
    simple: bool
    topics: np.ndarray
    paths: tuple[tuple[tuple[int, ...], ...], ...]
    answers: tuple[np.ndarray, ...]
    rows: np.ndarray
    as_written: np.ndarray
    lengths: np.ndarray
    texts: QuestionTexts
    facts: tuple[np.ndarray, ...]
    own: tuple[np.ndarray | None, ...]
    _known: dict[int, TripleEvidence] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.topics)

    def get_evidence(self, index: int) -> TripleEvidence:
        """The evidence of an example; looked up once."""
        if index not in self._known:
            self._known[index] = find_evidence(
                self.snapshot,
                int(self.topics[index]),
                self.paths[index],
                self.answers[index],
                facts=self.facts[index],
                subgraph=self.own[index],
                simple=self.simple,
            )
        return self._known[index]

    def compute_fingerprint(self) -> bytes:
        """Digest of what is learned."""
        digest = hashlib.sha256(self.topics.tobytes() + self.rows.tobytes())
        digest.update(repr(self.paths).encode())
        for part in (*self.facts, *(subgraph for subgraph in self.own if subgraph is not None)):
            digest.update(part.tobytes())
        return digest.digest()


def find_evidence(
    snapshot: Snapshot,
    topic: int,
    paths: Sequence[tuple[int, ...]],
    answers: np.ndarray,
    *,
    facts: np.ndarray,
    subgraph: np.ndarray | None = None,
    simple: bool,
) -> TripleEvidence:
    """The arcs and entities on the walks along ``paths`` from ``topic`` to ``answers``, and of ``facts``.

    With ``subgraph``, of these facts of the graph only.
    """
    relations, graph = (
        snapshot.num_relations,
        snapshot if subgraph is None else RestrictedSnapshot(snapshot, subgraph),
    )
    if subgraph is not None:
        facts = facts[np.isin(facts % snapshot.num_triples, subgraph)]
    sources, _, targets = walks.get_arc_ends(snapshot, facts)
    arcs: list[np.ndarray] = [facts]
    entities: list[np.ndarray] = [np.array([topic], np.int64), sources, targets]
    for path in paths:
        steps = [(r % relations, r >= relations) for r in path]
        trace = search.compute_trace(graph, [topic], steps, answers, simple=simple, limit=2 * graph.num_triples)
        arcs += (
            trace.arcs if subgraph is None else [_map_to_full_graph(snapshot, subgraph, part) for part in trace.arcs]
        )
        entities += trace.levels
    return TripleEvidence(np.unique(np.concatenate(arcs)), np.unique(np.concatenate(entities)))


def _map_to_full_graph(snapshot: Snapshot, subgraph: np.ndarray, arcs: np.ndarray) -> np.ndarray:
    """Arcs of the restriction to ``subgraph``, as arcs of the whole graph."""
    back, fact = np.divmod(arcs, max(len(subgraph), 1))
    full_arcs: np.ndarray = subgraph[fact] + back * snapshot.num_triples
    return full_arcs


def make_triple_examples(
    snapshot: Snapshot,
    questions: Sequence[Grounded],
    labels: Sequence[Label],
    encoder: TextEncoder,
    *,
    max_hops: int,
    simple: bool,
    words: bool,
    mask_names: bool = True,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> TripleExamples:
    """Join labels with their questions; labels of other questions or unknown relations are left out, and
    so are rejected ones.

    Args:
        labels: of any split; several of one question and topic are one example.
        encoder: for the question texts.
        max_hops: longer labels are left out.
        simple: walks never come back to their topic.
        words: encode the questions' words too.
        mask_names: of topics, in what is read of a question.
    """
    by_question: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_question[label.question].append(label)
    texts: dict[str, int] = {}
    topics: list[int] = []
    paths: list[tuple[tuple[int, ...], ...]] = []
    answers: list[np.ndarray] = []
    rows: list[int] = []
    written: list[int] = []
    facts: list[np.ndarray] = []
    owned: list[np.ndarray | None] = []
    for question in questions:
        triples = question.question.triples
        subgraph = find_facts(snapshot, triples).facts if triples else None
        for topic, topic_paths in _group_paths_by_topic(snapshot, question, by_question, max_hops).items():
            plain = question.question.question
            index = question.topics.index(topic)
            read_as = replace_topic_names(plain, index, question.names) if mask_names else plain
            row = texts.setdefault(read_as, len(texts))
            keep = len(texts) < _AS_WRITTEN or plain in texts
            topics.append(topic)
            paths.append(topic_paths)
            answers.append(np.array(question.answers, np.int64))
            question_labels = by_question[question.question.id]
            facts.append(select_facts(snapshot, topic, answers[-1], question_labels))
            owned.append(subgraph)
            rows.append(row)
            written.append(texts.setdefault(plain, len(texts)) if keep else row)
    read = QuestionTexts.encode(encoder, list(texts), words=words, progress=progress, cancelled=cancelled)
    lengths = np.zeros((len(paths), max_hops), np.float32)
    for i, topic_paths in enumerate(paths):
        for path in topic_paths:
            lengths[i, len(path) - 1] += 1 / len(topic_paths)
    return TripleExamples(
        snapshot, simple, np.array(topics, np.int64), tuple(paths), tuple(answers),
        np.array(rows, np.int64), np.array(written, np.int64), lengths, read, tuple(facts), tuple(owned),
    )  # fmt: skip


def _group_paths_by_topic(
    snapshot: Snapshot, question: Grounded, labels: dict[str, list[Label]], max_hops: int
) -> dict[int, tuple[tuple[int, ...], ...]]:
    by_topic: dict[int, tuple[tuple[int, ...], ...]] = {}
    for label in select_usable(labels.get(question.question.id, ())):
        topic, path = snapshot.find_entity(label.topic), to_directed_path(snapshot, label.path)
        if topic in question.topics and path is not None and len(path) <= max_hops:
            assert topic is not None
            by_topic[topic] = (*by_topic.get(topic, ()), path)
    return by_topic


def build_example_subgraphs(examples: TripleExamples, chosen: np.ndarray, strategy: CandidateStrategy) -> Subgraphs:
    """The candidate subgraphs of the chosen examples, their own where they have one."""
    subgraphs = [examples.own[index] for index in chosen.tolist()]
    return build_subgraphs(examples.snapshot, examples.topics[chosen], strategy, subgraphs)


def require_examples(examples: TripleExamples, question_count: int, max_hops: int) -> None:
    """Refuse to train on nothing.

    Raises:
        TrainingDataError: no training question has a usable label.
    """
    if not len(examples):
        raise TrainingDataError(
            f"None of the {question_count} training questions has a path from a topic to an answer within {max_hops} "
            f"hops.",
            hint="Give a larger max_hops, or a question set that belongs to this graph.",
        )


def mark_positive_facts(examples: TripleExamples, chosen: np.ndarray, subgraphs: Subgraphs) -> np.ndarray:
    """Which candidate triples are evidence, bool [N]; subgraph b is of example ``chosen[b]``."""
    marks = np.zeros(len(subgraphs.facts), bool)
    total = examples.snapshot.num_triples
    for b, index in enumerate(chosen.tolist()):
        part = slice(*subgraphs.fact_bounds[b : b + 2])
        marks[part] = np.isin(subgraphs.facts[part], examples.get_evidence(index).arcs % total)
    return marks


def mark_positive_walks(examples: TripleExamples, chosen: np.ndarray, subgraphs: Subgraphs) -> np.ndarray:
    """Which candidate triples are walked forward, and which backward, bool [2, N]; otherwise as
    ``mark_positive_facts``.
    """
    marks = np.zeros((2, len(subgraphs.facts)), bool)
    total = examples.snapshot.num_triples
    for b, index in enumerate(chosen.tolist()):
        part = slice(*subgraphs.fact_bounds[b : b + 2])
        for way in range(2):
            marks[way, part] = np.isin(subgraphs.facts[part] + way * total, examples.get_evidence(index).arcs)
    return marks


def mark_positive_entities(examples: TripleExamples, chosen: np.ndarray, subgraphs: Subgraphs) -> np.ndarray:
    """Which entity slots are on an evidence path, bool [n]; subgraph b is of example ``chosen[b]``."""
    marks = np.zeros(len(subgraphs.entities), bool)
    for b, index in enumerate(chosen.tolist()):
        part = slice(*subgraphs.entity_bounds[b : b + 2])
        marks[part] = np.isin(subgraphs.entities[part], examples.get_evidence(index).entities)
    return marks
