"""Suites of questions with known answers over small graphs: what programs and outcomes are learned from."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ConfigError, EmptySourceError, SourceError
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits
from retrieval.weights.question_sets import QUESTION_SETS, prepare_set
from retrieval.weights.spider_suites import write_suites
from retrieval.weights.wikitables import write_suite

if TYPE_CHECKING:
    from retrieval.types import Problem
    from retrieval.weights.data import TrainingData

#: The operator of questions that their graph cannot answer.
UNANSWERABLE = "unanswerable"
#: The suite of Clew's own graphs.
OWN_SUITE = "own_graphs"
WIKITABLES_SUITE = "wikitables_training"
"""The suite of tables of Wikipedia."""
#: The folder of graphs as newcomers bring them.
_NEWCOMERS = "newcomers"
#: Name parts of a suite's question file; questions drawn of each number of hops of a question set.
_QUESTIONS, _DRAWN = "questions.jsonl", 70
#: Files that a newcomer's graph is built from.
_FILES = re.compile(r"\.(tsv|csv|nt|ttl|rdf|jsonl?|xlsx|sqlite|graphml|gexf|cypher)")


@dataclass(frozen=True, slots=True, eq=False)
class SuiteQuestion:
    """A question whose right answers are known.

    Attributes:
        id: within its suite.
        suite: the folder that it comes from, or the question set.
        family: suites and sets of one family are left out of fitting together.
        graph: directory of the snapshot.
        text: as asked.
        right: answer sets that count as right.
        operators: what it needs.
    """

    id: str
    suite: str
    family: str
    graph: Path
    text: str
    right: tuple[tuple[str, ...], ...] = ()
    operators: tuple[str, ...] = ()

    @property
    def is_unanswerable(self) -> bool:
        """Whether the graph cannot answer."""
        return UNANSWERABLE in self.operators

    @property
    def is_newcomer(self) -> bool:
        """Whether it is about a graph as newcomers bring them."""
        return self.graph.parent.name == _NEWCOMERS

    @property
    def group(self) -> str:
        """Figures are given for these questions together: the lot of a newcomer's graph, else the suite."""
        return self.family if self.is_newcomer else self.suite


def load_suites(data: TrainingData, names: Sequence[str] = ()) -> list[SuiteQuestion]:
    """The questions of the suites of these names; of all suites where none is named.

    Raises:
        ConfigError: a name is unknown.
    """
    folders = _list_folders(data)
    unknown = set(names) - {folder.name for folder in folders}
    if unknown:
        raise ConfigError(f"There is no suite {', '.join(sorted(unknown))} in {data.public} or {data.own}.")
    chosen = [folder for folder in folders if not names or folder.name in names]
    return [question for folder in chosen for question in read_suite(data, folder)]


def _list_folders(data: TrainingData) -> list[Path]:
    home = data.find("operators")
    folders = sorted(folder for folder in home.iterdir() if any(folder.glob("*.jsonl"))) if home else []
    own_suite = data.own / OWN_SUITE
    folders += [own_suite] if own_suite.is_dir() else []
    spider, wikitables = data.find("spider"), data.find("wikitables")
    folders += write_suites(spider, data.cache / "spider") if spider else ()
    folders += [write_suite(wikitables, data.cache / WIKITABLES_SUITE)] if wikitables else []
    return [*folders, *data.suites]


def read_suite(data: TrainingData, folder: Path) -> Iterator[SuiteQuestion]:
    """The questions of one suite; graphs that were not built yet are built, and tables without facts left out."""
    for file in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            graph = _build_graph(data, folder, str(row.get("graph") or "graph").removesuffix(".tsv"))
            if graph is not None:
                yield SuiteQuestion(
                    row["id"], folder.name, folder.name, graph, row["question"], _read_answers(row),
                    tuple(row["operators"]),
                )  # fmt: skip


def _read_answers(row: dict[str, list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, answers)) for answers in (row["answers"], *row.get("also", ())))


def _build_graph(data: TrainingData, folder: Path, name: str) -> Path | None:
    """The snapshot of a suite's graph, built once; None of a table that has no facts."""
    built = data.cache / "operators" / f"{folder.name}-{name}"
    if not built.is_dir():
        facts = _find_facts(folder, name)
        is_table = facts.suffix == ".csv"
        try:
            build_from_files([facts], built, problems=_ignore_problem if is_table else raise_problem)
        except EmptySourceError:
            if not is_table:
                raise
            return None
    return built


def _find_facts(folder: Path, name: str) -> Path:
    """The file of a graph: triples, maybe compressed, or a table."""
    return next(file for ending in (".tsv", ".tsv.gz", ".csv") if (file := folder / f"{name}{ending}").is_file())


def build_copy_without(data: TrainingData, question: SuiteQuestion, relation: str) -> Path:
    """The snapshot of a copy of a question's graph without the facts of a relation, by its label; built once."""
    folder = next(folder for folder in _list_folders(data) if folder.name == question.suite)
    facts = _find_facts(folder, question.graph.name.removeprefix(f"{question.suite}-"))
    built = data.cache / "masked" / re.sub(r"[^\w.-]+", "_", f"{question.graph.name}-{relation}")[:150]
    ending = ".csv" if facts.suffix == ".csv" else ".tsv"
    if not built.is_dir():
        open_facts = gzip.open if facts.suffix == ".gz" else open
        with open_facts(facts, "rt", encoding="utf-8", newline="") as file:
            kept = _remove_column(file, relation) if ending == ".csv" else _remove_triples(file, relation)
        built.parent.mkdir(parents=True, exist_ok=True)
        written = built.with_name(built.name + ending)
        written.write_text(kept, encoding="utf-8", newline="")
        build_from_files([written], built, problems=_ignore_problem)
    return built


def _remove_triples(lines: Iterable[str], relation: str) -> str:
    return "".join(line for line in lines if format_relation_name(line.split("\t")[1]) != relation)


def _remove_column(lines: Iterable[str], relation: str) -> str:
    rows = list(csv.reader(lines))
    kept = [column for column, name in enumerate(rows[0]) if format_relation_name(name) != relation]
    out = io.StringIO()
    csv.writer(out).writerows([row[column] for column in kept if column < len(row)] for row in rows)
    return out.getvalue()


def load_newcomers(data: TrainingData) -> list[SuiteQuestion]:
    """The questions over graphs and tables as newcomers bring them."""
    home = data.own / _NEWCOMERS
    lots = sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else []
    return [question for lot in lots for folder in list_lot(lot) for question in load_newcomer(folder, data.cache)]


def list_lot(lot: Path) -> list[Path]:
    """The folders of a lot of newcomers' graphs, each with a question file beside its facts."""
    return sorted(file.parent for file in lot.glob(f"*/{_QUESTIONS}"))


def load_newcomer(
    folder: Path, cache: Path, problems: Callable[[Problem], None] | None = None
) -> Iterator[SuiteQuestion]:
    """The questions of one folder; its graph is built anew, since reading its files is measured too."""
    lot = folder.parent.name
    files = sorted(file for file in folder.iterdir() if _FILES.fullmatch(file.suffix) and file.name != _QUESTIONS)
    graph = cache / _NEWCOMERS / f"{lot}-{folder.name}"
    shutil.rmtree(graph, ignore_errors=True)
    graph.parent.mkdir(parents=True, exist_ok=True)
    build_from_files(files, graph, problems=problems or _ignore_problem)
    rows = map(json.loads, (folder / _QUESTIONS).read_text(encoding="utf-8").splitlines())
    for number, row in enumerate(rows):
        yield SuiteQuestion(
            str(number), folder.name, lot, graph, row["question"], _read_answers(row), (row["kind"],)
        )  # fmt: skip


def sample_question_sets(data: TrainingData) -> list[SuiteQuestion]:
    """Training questions of the sets that relation paths answer, some of each number of hops; always the same."""
    drawn = list[SuiteQuestion]()
    for name, source in QUESTION_SETS.items():
        prepared = prepare_set(data, name)
        if prepared is None:
            continue
        questions = assign_splits(read_questions(prepared.questions, problems=_ignore_problem))
        known = [question for question in questions if question.split == "train" and question.answers]
        for hops in sorted({question.hops or 0 for question in known}):
            same = [question for question in known if (question.hops or 0) == hops]
            chosen = sorted(np.random.default_rng(0).permutation(len(same))[:_DRAWN])
            suite = f"{name}, {hops} hops" if name == "MetaQA" else f"{name}, relation paths"
            make = partial(SuiteQuestion, suite=suite, family=source.family, graph=prepared.graph, operators=("path",))
            drawn += [make(same[n].id, text=same[n].question, right=(same[n].answers,)) for n in chosen]
    return drawn


def raise_problem(problem: Problem) -> None:
    """Refuse a file with a row that cannot be read.

    Raises:
        SourceError: always.
    """
    raise SourceError(f"{problem.file}, line {problem.line}: {problem.message}")


def _ignore_problem(_problem: Problem) -> None:
    """Rows of public sets that cannot be read are left out."""
