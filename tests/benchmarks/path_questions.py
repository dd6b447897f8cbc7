"""Questions that relation paths answer, over many graphs: what path weights are fitted on."""

from __future__ import annotations

import pickle
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from retrieval.kg import snapshot as snapshots
from retrieval.kg.search.walks import execute
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.linking.features import TextEncoder, get_relation_vectors
from retrieval.linking.questions import replace_topic_names
from retrieval.methods.zero_shot.candidates import PathMatch, find_candidates, has_simple_walks
from retrieval.methods.zero_shot.features import (
    Comparer,
    QuestionFeatures,
    compute_features,
    encode_questions,
)
from retrieval.methods.zero_shot.wordings import Wordings
from retrieval.programs.grounding.schema import Schema
from retrieval.questions.files import assign_splits, read_questions
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.path_questions.writer import PathWriter
from tests.benchmarks.data import found
from tests.benchmarks.operators import UNANSWERABLE, suites
from tests.benchmarks.sets import CACHE, clew, prepared

#: Sets with the family that is left out together: what was taken from Freebase counts as one.
SETS = {
    "MetaQA": "MetaQA",
    "PQ-2H": "Freebase",
    "PQ-3H": "Freebase",
    "PQL-2H": "Freebase",
    "PQL-3H": "Freebase",
    "WebQSP": "Freebase",
    "demo": "demo",
}
_HOPS = 3
#: Candidates beside the right ones that are kept of a question: those that explain most, and others by lot.
_LIKELY, _OTHERS = 16, 16
#: Questions that are asked a second time of a graph without their relation, so that nothing answers them.
_LACKING = {"people": 0.7, "written": 0.4}
#: Graphs without a relation that are held.
_KEPT = 40
#: A set that agrees less with the answers is no label.
_AGREES = 0.6


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many questions are looked at.

    Attributes:
        drawn: of people, of a set and a number of hops; of a graph of a suite all.
        written: from a graph.
        more, repeated: of so many more written ones, some that take the same step twice: children of children.
    """

    drawn: int = 350
    written: int = 300
    more: int = 300
    repeated: int = 60


@dataclass(frozen=True, slots=True)
class Learned:
    """One question as it is learned from.

    Attributes:
        family: left out together.
        graph: its name.
        source: ``people`` or ``written``.
        words, paths: see ``path_reader.features.compute_features``; float16, float32.
        right: how right each candidate is, float32 [c]; all nought where nothing answers. Right ones come first, then
            those that explain most.
    """

    family: str
    graph: str
    source: str
    words: np.ndarray
    paths: np.ndarray
    right: np.ndarray


def learned(encoder: TextEncoder, kept: Path, sizes: Sizes) -> Iterator[Learned]:
    """Questions of people, and such as are written from the schemas of the same graphs; computed once into ``kept``."""
    kept.mkdir(parents=True, exist_ok=True)
    for graph, family, questions in _graphs(sizes):
        file = kept / f"{graph.name}.pickle"
        if not file.is_file():
            began = time.perf_counter()
            made = Maker(snapshots.open(graph), encoder, family)
            own = [*made.of_people(questions), *made.written(sizes)]
            file.write_bytes(pickle.dumps(own))
            print(f"{graph.name}: {len(own):,} questions in {time.perf_counter() - began:.0f} s", flush=True)
        some: list[Learned] = pickle.loads(file.read_bytes())
        yield from some


@dataclass(frozen=True, slots=True)
class Known:
    """A question that names one entity, with its topic, how that is written, and the answers."""

    text: str
    topic: int
    names: tuple[str, ...]
    answers: frozenset[int]


def _graphs(sizes: Sizes) -> Iterator[tuple[Path, str, list[Known]]]:
    for name, family in SETS.items():
        there = prepared(name)
        if there is None:
            continue
        snapshot = snapshots.open(there.graph)
        every = assign_splits(list(read_questions(there.questions, problems=lambda _: None)))
        known = [q for q in every if q.split == "train" and q.answers and len(q.topic_entities) == 1]
        drawn: list[Known] = []
        for hops in sorted({q.hops or 0 for q in known}):
            some = [q for q in known if (q.hops or 0) == hops]
            random.Random(hops).shuffle(some)
            grounded, _ = resolve_questions(snapshot, some[: sizes.drawn])
            drawn += [Known(q.question.question, q.topics[0], q.names, frozenset(q.answers)) for q in grounded]
        yield there.graph, family, drawn
    by_graph: dict[tuple[Path, str], list[Known]] = {}
    for one in suites():
        own = by_graph.setdefault((one.graph, one.family), [])
        if set(one.operators) <= {"path", "typed"} and UNANSWERABLE not in one.operators:
            known_one = named(snapshots.open(one.graph), one.question, one.right[0])
            own += [known_one] if known_one else []
    for (graph, family), questions in by_graph.items():
        yield graph, family, questions
    facts = found("graphs", "fb15k237_named_triples.tsv.gz")
    if facts is not None:
        built = CACHE / "sets" / "FB15k-237.graph"
        if not built.is_dir():
            clew("build-graph", str(facts), "--out", str(built), "--no-index")
        yield built, "Freebase", []


def named(snapshot: Snapshot, question: str, answers: Iterable[str]) -> Known | None:
    """A question of a suite with the longest name of its graph that stands in it."""
    words = question.rstrip("?.! ").split()
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            mention = " ".join(words[first : first + size])
            topic = snapshot.find_entity(mention)
            if topic is not None and snapshot.get_degree(topic) and len(mention) > 2:
                ids = [snapshot.find_entity(answer) for answer in answers]
                right = frozenset(i for i in ids if i is not None)
                return Known(question, topic, (mention,), right) if right and topic not in right else None
    return None


class Maker:
    """Makes what is learned of one graph."""

    def __init__(self, snapshot: Snapshot, encoder: TextEncoder, family: str) -> None:
        self.snapshot, self.encoder, self.family = snapshot, encoder, family
        self.schema = Schema(snapshot)
        self.wordings = Wordings.from_schema(self.schema, encoder)
        self.vectors = get_relation_vectors(snapshot, encoder)
        self.simple = has_simple_walks(snapshot)
        self.rng = np.random.default_rng(0)
        self._lacking: dict[frozenset[int], Snapshot] = {}

    def of_people(self, questions: Sequence[Known]) -> Iterator[Learned]:
        for one in questions:
            text = replace_topic_names(one.text, 0, one.names)
            yield from self._made(text, one.topic, "people", partial(self._agrees, one))

    def written(self, sizes: Sizes) -> Iterator[Learned]:
        drawn = PathWriter(self.schema, 0).write(sizes.written + sizes.more)
        again = [one for one in drawn[sizes.written :] if any(a == b for path in one.paths for a, b in pairwise(path))]
        for one in drawn[: sizes.written] + again[: sizes.repeated]:
            names = [self.snapshot.get_entity_label(topic) for topic in one.topics]
            at = int(self.rng.integers(len(names)))
            text = replace_topic_names(one.question, at, names)
            yield from self._made(text, one.topics[at], "written", partial(_walks, one.paths[at]))

    def _agrees(self, one: Known, candidate: PathMatch) -> float:
        """F1 of what a candidate reaches and the answers; nought where it is low."""
        total = self.snapshot.num_relations
        steps = [(r % total, r >= total) for r in candidate.relations]
        simple = self.simple and not candidate.returns
        reached = execute(self.snapshot, [one.topic], steps, simple=simple)[-1]
        if not len(reached) or len(reached) > 50 * len(one.answers) + 50:
            return 0.0
        shared = len(one.answers.intersection(reached.tolist()))
        score = 2 * shared / (len(reached) + len(one.answers))
        return score if score >= _AGREES else 0.0

    def _made(self, text: str, topic: int, source: str, judge: Callable[[PathMatch], float]) -> Iterator[Learned]:
        """The question where a candidate is right, and perhaps the same where its graph lacks what it asks for."""
        question = encode_questions([text], self.encoder)[0]
        comparer = Comparer(question, self.wordings)
        own = self._candidates(self.snapshot, topic, question, comparer)
        right = np.array([judge(one) for one in own], np.float32)
        if not right.any():
            return
        best = np.where(right >= right.max() - 1e-6, right, 0.0).astype(np.float32)
        yield self._with_features(question, comparer, own, best, source)
        if self.rng.random() < _LACKING[source]:
            taken = self._taken(own, right)
            left = self._candidates(self._without(taken), topic, question, comparer)
            if left and not any(judge(one) for one in left):
                nothing = np.zeros(len(left), np.float32)
                yield self._with_features(question, comparer, left, nothing, source)

    def needed(self, one: Known) -> frozenset[int]:
        """Relations without which no relation path answers a question: one of each that does; none where none does."""
        question = encode_questions([replace_topic_names(one.text, 0, one.names)], self.encoder)[0]
        own = self._candidates(self.snapshot, one.topic, question, Comparer(question, self.wordings))
        return self._taken(own, np.array([self._agrees(one, path) for path in own]))

    def _candidates(
        self, snapshot: Snapshot, topic: int, question: QuestionFeatures, comparer: Comparer
    ) -> list[PathMatch]:
        """As the retriever finds them, those that end at their topic too."""
        return find_candidates(
            snapshot,
            topic,
            comparer.compute_explanations,
            _HOPS,
            simple=self.simple,
            returning=not question.shares,
        )

    def _taken(self, own: list[PathMatch], right: np.ndarray) -> frozenset[int]:
        total = self.snapshot.num_relations
        ways = [one.relations for one, good in zip(own, right, strict=True) if good]
        return frozenset(int(self.rng.choice(way)) % total for way in ways)

    def _with_features(
        self,
        question: QuestionFeatures,
        comparer: Comparer,
        own: list[PathMatch],
        right: np.ndarray,
        source: str,
    ) -> Learned:
        words, paths = compute_features(question, comparer, own, self.vectors, self.snapshot.num_relations)
        worth = [comparer.compute_explanations(np.array(one.relations)).max(axis=0).sum() for one in own]
        order = np.lexsort((-np.array(worth), right == 0))
        good = int((right > 0).sum())
        wrong = order[good:]
        lots = self.rng.permutation(wrong[_LIKELY:])[:_OTHERS]
        kept = np.concatenate([order[:good], wrong[:_LIKELY], lots])
        return Learned(
            self.family,
            self.snapshot.path.name,
            source,
            words[kept].astype(np.float16),
            paths[kept],
            right[kept],
        )

    def _without(self, relations: frozenset[int]) -> Snapshot:
        """The graph without the facts of some relations."""
        if relations not in self._lacking:
            while len(self._lacking) >= _KEPT:
                self._lacking.pop(next(iter(self._lacking)))
            gone = np.isin(np.asarray(self.snapshot.relations), list(relations))
            self._lacking[relations] = RestrictedSnapshot(self.snapshot, np.flatnonzero(~gone))
        return self._lacking[relations]


def _walks(path: tuple[int, ...], candidate: PathMatch) -> float:
    return float(candidate.relations == path)
