"""Which entities questions are about: how often exactly those are linked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import ask
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.linking.linker import Linker
from retrieval.methods.registry import DEFAULT
from retrieval.questions.files import read_questions
from retrieval.types import QuestionRecord
from retrieval.weights.suites import SuiteQuestion
from tests.benchmarks.data import DATA
from tests.benchmarks.operators import suites
from tests.benchmarks.report import Section
from tests.benchmarks.sets import prepared

COMMAND = "python -m tests.benchmarks linking"
#: Sets whose questions name their topics, and suites whose queries do.
SETS, SUITES = ("WebQSP",), ("spider",)
#: Words in quotation marks in SQL, without the marks of "like".
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_BUDGET, _SEED = 50, 0


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Link the topics of WebQSP's questions, and what the queries of Spider's questions name."""
    section = Section(
        "Topic entities",
        COMMAND,
        "Exactly: the linked entities are those that the set names, no more and no fewer. In Spider these are what "
        "words in quotation marks in a question's SQL name; many questions have none. WebQSP's questions have no "
        "capitals and are linked by names alone; Spider's as they are asked, without a checkpoint.",
        head=("graphs", "questions", "exactly", "too few", "too many", "others"),
    )
    for name in names or (*SETS, *SUITES):
        rows = list(_of_set(name) if name in SETS else _of_suite(name))
        section.add(name, f"{len(rows):,}", *_shares(rows))
    return [section]


def _shares(rows: Sequence[tuple[str, frozenset[int], frozenset[int]]]) -> tuple[str, ...]:
    pairs = [(right, linked) for _, right, linked in rows]
    exactly = sum(right == linked for right, linked in pairs)
    few = sum(linked < right for right, linked in pairs)
    many = sum(linked > right for right, linked in pairs)
    return tuple(f"{n / len(pairs):.3f}" for n in (exactly, few, many, len(pairs) - exactly - few - many))


def _of_set(name: str) -> Iterator[tuple[str, frozenset[int], frozenset[int]]]:
    """Questions with the entities that they are about and those that are linked."""
    there = prepared(name)
    if there is None:
        return
    snapshot = snapshots.open(there.graph)
    linker = Linker(snapshot)
    for one in read_questions(there.questions, problems=lambda _: None):
        right = frozenset(i for i in map(snapshot.find_entity, one.topic_entities) if i is not None)
        if right:
            linked = linker.link(Question(one.question)).entities
            yield one.question, right, frozenset(found.entity.id for found in linked)


def _of_suite(name: str) -> Iterator[tuple[str, frozenset[int], frozenset[int]]]:
    asked = sorted(suites([name]), key=lambda one: str(one.graph))
    said = _sql(name)
    for graph, some in groupby(asked, key=lambda one: one.graph):
        yield from _of_graph(graph, list(some), said)


def _of_graph(
    graph: Path, asked: Sequence[SuiteQuestion], said: dict[str, str]
) -> Iterator[tuple[str, frozenset[int], frozenset[int]]]:
    snapshot = snapshots.open(graph)
    answerer = load_answerer(AnswererSpec(graph, None, DEFAULT), load_parts(snapshot, load_encoder()))
    for one in asked:
        outcome = ask(answerer, QuestionRecord(one.id, one.text), budget=_BUDGET, seed=_SEED, topics="linked")
        linked = frozenset(i for i in map(snapshot.find_entity, outcome.topics) if i is not None)
        yield one.text, frozenset(_named(snapshot, said[one.id])), linked


def _named(snapshot: Snapshot, sql: str) -> Iterator[int]:
    for single, double in _QUOTED.findall(sql):
        found = snapshot.find_entity((single or double).strip("% "))
        if found is not None:
            yield found


def _sql(name: str) -> dict[str, str]:
    lines = (DATA / "operators" / name / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row["sql"] for row in map(json.loads, lines)}
