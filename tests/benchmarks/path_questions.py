"""Questions that relation paths answer, over many graphs: what path weights are fitted on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from retrieval.kg import snapshot as snapshots
from retrieval.kg.search.walks import execute
from retrieval.kg.snapshot import Snapshot
from retrieval.methods._shared.path_reader.candidates import Candidate, candidates, walks_are_simple
from retrieval.methods._shared.path_reader.features import Comparer, asked, features
from retrieval.methods._shared.path_reader.wordings import Wordings
from retrieval.programs.schema import Schema
from retrieval.questions.files import read_questions, with_splits
from retrieval.supervision.grounding import ground
from retrieval.supervision.path_questions.writer import PathWriter
from retrieval.text.features import TextEncoder, relation_vectors
from retrieval.text.questions import seen_from
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
#: Questions drawn of a set and a number of hops, of a suite's graph, and written from a graph.
_DRAWN, _WRITTEN = 350, 300
#: Of so many written ones, some more that take the same step twice: children of children.
_MORE, _REPEATED = 600, 60
_HOPS = 3
#: Candidates beside the right ones that are kept of a question.
_OTHERS = 40
#: Questions whose relation is taken away, so that nothing answers them.
_LACKING = 0.15
#: A set that agrees less with the answers is no label.
_AGREES = 0.6


@dataclass(frozen=True, slots=True)
class Learned:
    """One question as it is learned from.

    Attributes:
        family: left out together.
        graph: its name.
        source: ``people`` or ``written``.
        words, paths: see ``path_reader.features.features``; float16, float32.
        right: how right each candidate is, float32 [c]; all nought where nothing answers.
    """

    family: str
    graph: str
    source: str
    words: np.ndarray
    paths: np.ndarray
    right: np.ndarray


def learned(encoder: TextEncoder) -> Iterator[Learned]:
    """Questions of people, and such as are written from the schemas of the same graphs."""
    for graph, family, questions in _graphs():
        made = _Maker(snapshots.open(graph), encoder, family)
        yield from made.of_people(questions)
        yield from made.written()


@dataclass(frozen=True, slots=True)
class _Known:
    text: str
    topic: int
    names: tuple[str, ...]
    answers: frozenset[int]


def _graphs() -> Iterator[tuple[Path, str, list[_Known]]]:
    for name, family in SETS.items():
        there = prepared(name)
        if there is None:
            continue
        snapshot = snapshots.open(there.graph)
        every = with_splits(list(read_questions(there.questions, problems=lambda _: None)))
        known = [q for q in every if q.split == "train" and q.answers and len(q.topic_entities) == 1]
        drawn: list[_Known] = []
        for hops in sorted({q.hops or 0 for q in known}):
            some = [q for q in known if (q.hops or 0) == hops]
            random.Random(hops).shuffle(some)
            grounded, _ = ground(snapshot, some[:_DRAWN])
            drawn += [
                _Known(q.question.question, q.topics[0], q.names, frozenset(q.answers)) for q in grounded
            ]
        yield there.graph, family, drawn
    by_graph: dict[tuple[Path, str], list[_Known]] = {}
    for one in suites():
        own = by_graph.setdefault((one.graph, one.family), [])
        if set(one.operators) <= {"path", "typed"} and UNANSWERABLE not in one.operators:
            known_one = _named(snapshots.open(one.graph), one.question, one.right[0])
            own += [known_one] if known_one else []
    for (graph, family), questions in by_graph.items():
        yield graph, family, questions
    facts = found("graphs", "fb15k237_named_triples.tsv.gz")
    if facts is not None:
        built = CACHE / "sets" / "FB15k-237.graph"
        if not built.is_dir():
            clew("build-graph", str(facts), "--out", str(built), "--no-index")
        yield built, "Freebase", []


def _named(snapshot: Snapshot, question: str, answers: Iterable[str]) -> _Known | None:
    """A question of a suite with the longest name of its graph that stands in it."""
    words = question.rstrip("?.! ").split()
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            mention = " ".join(words[first : first + size])
            topic = snapshot.find_entity(mention)
            if topic is not None and snapshot.degree(topic) and len(mention) > 2:
                ids = [snapshot.find_entity(answer) for answer in answers]
                right = frozenset(i for i in ids if i is not None)
                return _Known(question, topic, (mention,), right) if right and topic not in right else None
    return None


class _Maker:
    def __init__(self, snapshot: Snapshot, encoder: TextEncoder, family: str) -> None:
        self.snapshot, self.encoder, self.family = snapshot, encoder, family
        self.schema = Schema(snapshot)
        self.wordings = Wordings.of(self.schema, encoder)
        self.vectors = relation_vectors(snapshot, encoder)
        self.simple = walks_are_simple(snapshot)
        self.rng = np.random.default_rng(0)

    def of_people(self, questions: Sequence[_Known]) -> Iterator[Learned]:
        for one in questions:
            text = seen_from(one.text, 0, one.names)
            made = self._made(text, one.topic, "people", partial(self._agrees, one))
            if made is not None:
                yield made

    def written(self) -> Iterator[Learned]:
        drawn = PathWriter(self.schema, 0).write(_MORE)
        again = [
            one for one in drawn[_WRITTEN:] if any(a == b for path in one.paths for a, b in pairwise(path))
        ]
        for one in drawn[:_WRITTEN] + again[:_REPEATED]:
            names = [self.snapshot.entity_label(topic) for topic in one.topics]
            at = int(self.rng.integers(len(names)))
            text = seen_from(one.question, at, names)
            made = self._made(text, one.topics[at], "written", partial(_walks, one.paths[at]))
            if made is not None:
                yield made

    def _agrees(self, one: _Known, candidate: Candidate) -> float:
        """F1 of what a candidate reaches and the answers; nought where it is low."""
        total = self.snapshot.num_relations
        steps = [(r % total, r >= total) for r in candidate.relations]
        reached = execute(self.snapshot, [one.topic], steps, simple=self.simple)[-1]
        if not len(reached) or len(reached) > 50 * len(one.answers) + 50:
            return 0.0
        shared = len(one.answers.intersection(reached.tolist()))
        score = 2 * shared / (len(reached) + len(one.answers))
        return score if score >= _AGREES else 0.0

    def _made(
        self, text: str, topic: int, source: str, judge: Callable[[Candidate], float]
    ) -> Learned | None:
        """None where no candidate is right."""
        question = asked([text], self.encoder)[0]
        comparer = Comparer(question, self.wordings)
        own = candidates(self.snapshot, topic, comparer.explains, _HOPS, simple=self.simple)
        right = np.array([judge(one) for one in own], np.float32)
        if not right.any():
            return None
        right = np.where(right >= right.max() - 1e-6, right, 0.0).astype(np.float32)
        if self.rng.random() < _LACKING:
            own, right = self._lacking(own, right)
            if not own:
                return None
        words, paths = features(question, comparer, own, self.vectors, self.snapshot.num_relations)
        wrong = np.flatnonzero(right == 0)
        kept = np.sort(np.concatenate([np.flatnonzero(right), self.rng.permutation(wrong)[:_OTHERS]]))
        return Learned(
            self.family,
            self.snapshot.path.name,
            source,
            words[kept].astype(np.float16),
            paths[kept],
            right[kept],
        )

    def _lacking(self, own: list[Candidate], right: np.ndarray) -> tuple[list[Candidate], np.ndarray]:
        """Candidates of a graph that lacks one relation of each right path."""
        total = self.snapshot.num_relations
        taken = {
            int(self.rng.choice(one.relations)) % total for one, good in zip(own, right, strict=True) if good
        }
        left = [one for one in own if not taken & {r % total for r in one.relations}]
        return left, np.zeros(len(left), np.float32)


def _walks(path: tuple[int, ...], candidate: Candidate) -> float:
    return float(candidate.relations == path)
