"""Questions with answers that programs are measured and fitted on: operator suites, and sets of relation paths."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.metrics.scores import Scored
from retrieval.metrics.values import match_answers
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.execution import Result
from retrieval.programs.algebra.operations import Program
from retrieval.programs.parser import Parser
from retrieval.programs.rendering.formatting import format_result
from retrieval.programs.scoring.candidates import Candidate
from retrieval.questions.files import assign_splits, read_questions
from retrieval.supervision.program_questions import is_same_result
from tests.benchmarks.data import found
from tests.benchmarks.sets import CACHE, clew, prepared

#: Sets of relation paths that weights are fitted on too, and with what each is left out.
PATH_SETS = {
    "demo": "demo",
    "MetaQA": "MetaQA",
    "PQ-2H": "PathQuestion",
    "PQ-3H": "PathQuestion",
    "PQL-2H": "PathQuestion",
    "PQL-3H": "PathQuestion",
    "WebQSP": "WebQSP",
}
#: Small graphs as newcomers bring them, with the first questions that they ask; part of the repository.
OWN_GRAPHS = Path(__file__).resolve().parents[1] / "own_graphs"
#: Folders of further suites, in the same form, that weights are fitted on too.
MORE = os.environ.get("CLEW_BENCH_SUITES", "")
#: The operator of questions that their graph says nothing of.
UNANSWERABLE = "unanswerable"
#: Questions drawn from each of them, of every number of hops.
_DRAWN = 70


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question whose right answers are known.

    Attributes:
        id: within its suite.
        suite: the folder that it comes from, or the set.
        family: what is left out together with it.
        graph: directory of the snapshot.
        question: as asked.
        right: answer sets that count as right.
        operators: what it needs.
        result: what is right of a question that was written from a program, instead of ``right``.
    """

    id: str
    suite: str
    family: str
    graph: Path
    question: str
    right: tuple[tuple[str, ...], ...] = ()
    operators: tuple[str, ...] = ()
    result: Result | None = None


def suites(names: Sequence[str] = ()) -> list[Asked]:
    """Questions of the operator suites, a folder each; of those that are named, else of all that are there."""
    folders = _folders()
    unknown = set(names) - {folder.name for folder in folders}
    if unknown:
        raise SystemExit(f"no suite {', '.join(sorted(unknown))}")
    return [asked for folder in folders if not names or folder.name in names for asked in _of(folder)]


def _folders() -> list[Path]:
    """The folders of suites: the shared ones, our own, and those that ``CLEW_BENCH_SUITES`` names."""
    home = found("operators")
    folders = sorted(folder for folder in home.iterdir() if any(folder.glob("*.jsonl"))) if home else []
    return [*folders, OWN_GRAPHS, *(Path(name) for name in MORE.split(os.pathsep) if name)]


def path_sets() -> list[Asked]:
    """Some training questions of sets that relation paths answer; drawn by a seed."""
    drawn = list[Asked]()
    for name, family in PATH_SETS.items():
        there = prepared(name)
        if there is None:
            continue
        questions = assign_splits(read_questions(there.questions, problems=lambda _: None))
        known = [question for question in questions if question.split == "train" and question.answers]
        for hops in sorted({question.hops or 0 for question in known}):
            some = [question for question in known if (question.hops or 0) == hops]
            chosen = np.random.default_rng(0).permutation(len(some))[:_DRAWN]
            suite = f"{name}, {hops} hops" if name == "MetaQA" else f"{name}, relation paths"
            drawn += [
                Asked(some[n].id, suite, family, there.graph, some[n].question, (some[n].answers,), ("path",))
                for n in sorted(chosen)
            ]
    return drawn


def is_right(columns: Columns, snapshot: Snapshot, candidate: Candidate, asked: Asked) -> bool:
    """Whether a program gives what is right, compared as evaluation compares answers."""
    if UNANSWERABLE in asked.operators:
        return False
    if asked.result is not None:
        return is_same_result(candidate.result, asked.result)
    result = candidate.result
    if isinstance(result, np.ndarray):
        if len(result) > 2 * max(map(len, asked.right)) + 10:
            return False
        answers = [snapshot.get_entity_label(node) for node in result.tolist()]
    else:
        answers = _written(columns, candidate.program, result)
    given = [Scored(answer, 1.0) for answer in answers]
    return any(
        {item.answer for item in match_answers(given, one, normalize_name)} == {normalize_name(label) for label in one}
        for one in asked.right
    )


class Parsers:
    """A parser for each graph, opened when it is first asked for."""

    def __init__(self, encode: Any) -> None:
        self._encode = encode
        self._open: dict[Path, Parser] = {}

    def of(self, graph: Path) -> Parser:
        """The parser of a snapshot."""
        if graph not in self._open:
            self._open[graph] = Parser(snapshots.open(graph), self._encode)
        return self._open[graph]


def _written(columns: Columns, program: Program, value: float | bool) -> list[str]:
    text = format_result(columns, program, value)
    return [text] if text else []


def _of(folder: Path) -> Iterator[Asked]:
    for file in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            right = (tuple(row["answers"]), *map(tuple, row.get("also", ())))
            graph = _graph(folder, str(row.get("graph") or "graph").removesuffix(".tsv"))
            yield Asked(row["id"], folder.name, folder.name, graph, row["question"], right, tuple(row["operators"]))


def without(asked: Asked, relation: str) -> Path:
    """The snapshot of a question's graph without the facts of a relation, by its label; built once."""
    name = asked.graph.name.removeprefix(f"{asked.suite}-")
    folder = next(own for own in _folders() if own.name == asked.suite)
    facts = _facts(folder, name)
    built = CACHE / "masked" / re.sub(r"[^\w.-]+", "_", f"{asked.graph.name}-{relation}")[:150]
    if not built.is_dir():
        open_facts = gzip.open if facts.suffix == ".gz" else open
        with open_facts(facts, "rt", encoding="utf-8") as file:
            kept = [line for line in file if format_relation_name(line.split("\t")[1]) != relation]
        built.parent.mkdir(parents=True, exist_ok=True)
        written = built.with_suffix(".tsv")
        written.write_text("".join(kept), encoding="utf-8")
        build_from_files([written], built, problems=lambda _: None)
    return built


def _graph(folder: Path, name: str) -> Path:
    """The snapshot of a suite's graph, built once."""
    built = CACHE / "operators" / f"{folder.name}-{name}"
    if not built.is_dir():
        clew("build-graph", str(_facts(folder, name)), "--out", str(built), "--no-index")
    return built


def _facts(folder: Path, name: str) -> Path:
    facts = folder / f"{name}.tsv"
    return facts if facts.is_file() else folder / f"{name}.tsv.gz"
