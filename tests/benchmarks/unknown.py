"""Questions that a graph cannot answer: how many are told as such, on graphs that no weights have seen."""

from __future__ import annotations

import gzip
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.paths import PathAnswerer
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import ask
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.report import score
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.linking.encoder import Encoder
from retrieval.methods.registry import DEFAULT
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits
from retrieval.supervision.grounding import resolve_questions
from retrieval.types import QuestionRecord
from retrieval.weights.path_examples import PathExampleMaker, TopicQuestion, find_topic
from retrieval.weights.path_scorers import LackingBuilder
from retrieval.weights.question_sets import QUESTION_SETS
from retrieval.weights.suites import UNANSWERABLE
from tests.benchmarks.data import found
from tests.benchmarks.left_out import weights_without
from tests.benchmarks.operators import OWN_GRAPHS, suites
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew, prepared
from tests.benchmarks.zero_shot import calibration_error

COMMAND = "python -m tests.benchmarks unknown"
OWN = OWN_GRAPHS.name
#: Graphs on which thresholds were chosen, and graphs on which nothing was.
CHOSEN_ON, HELD_OUT = ("MetaQA", "PQ-2H"), ("PQ-3H", "PQL-2H", "PQL-3H", "WebQSP")
#: Questions drawn of a set and number of hops; of a graph, copies without a relation, and questions asked of each.
_DRAWN, _COPIES, _EACH = 60, 8, 16
#: Small graphs are copied less often, for there are many.
_SMALL_COPIES = 2
_BUDGET, _SEED = 50, 0


@dataclass(frozen=True, slots=True)
class Graph:
    """Questions of one graph that relation paths answer.

    Attributes:
        snapshot: directory of the graph.
        facts: files that it was built of.
        questions: with what is known of each.
        copies: how often it is copied without a relation, at most.
    """

    snapshot: Path
    facts: tuple[Path, ...]
    questions: tuple[tuple[QuestionRecord, TopicQuestion], ...]
    copies: int = _COPIES


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Ask answerable questions, and the same of copies of their graphs without a relation that they need."""
    section = Section(
        "Unanswerable questions",
        COMMAND,
        "Questions that a relation path answers, asked of their graph and of copies of it that lack a relation of "
        "each such path; topic entities linked, no language model. Missing relations are recognized by weights "
        "fitted without anything of the set's family; those that rank have seen samples of it. The limit was chosen "
        f"on {' and '.join(CHOSEN_ON)}. Told: no answer is given and the reason is said. Guess: answers are marked "
        "as guesses. Refused: the same for questions that the graph answers.",
        head=(
            "graphs",
            "asked",
            "refused",
            "guesses",
            "Hit@1",
            "ECE",
            "without a relation",
            "told",
            "told or guess",
        ),
    )
    encoder = load_encoder()
    for name in names or (*CHOSEN_ON, *HELD_OUT):
        origin = QUESTION_SETS[name].origin if name in QUESTION_SETS else name
        doubts = weights_without(LackingBuilder(), origin)
        whole: list[Outcome] = []
        lacking: list[Outcome] = []
        for graph in _graphs(name):
            whole += _asked(graph.snapshot, [question for question, _ in graph.questions], encoder, doubts)
            for copy, some in _copies(graph, encoder):
                lacking += _asked(copy, some, encoder, doubts)
        section.add(name, f"{len(whole):,}", *_of_whole(whole), f"{len(lacking):,}", *_told(lacking))
        print(section.rows[-1], flush=True)
    return [section]


def _of_whole(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    refused = np.mean([_is_told(one) for one in outcomes])
    guesses = np.mean([_is_guess(one) for one in outcomes])
    hit = np.mean([score(one).hit_at_1 for one in outcomes])
    return f"{refused:.3f}", f"{guesses:.3f}", f"{hit:.3f}", f"{calibration_error(outcomes):.3f}"


def _told(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    told = np.mean([_is_told(one) for one in outcomes])
    return f"{told:.3f}", f"{np.mean([_is_told(one) or _is_guess(one) for one in outcomes]):.3f}"


def _is_told(outcome: Outcome) -> bool:
    return outcome.no_answer is not None


def _is_guess(outcome: Outcome) -> bool:
    return not _is_told(outcome) and max((sure for _, sure in outcome.predicted), default=0.0) < 0.3


def _asked(graph: Path, questions: Sequence[QuestionRecord], encoder: Encoder, doubts: Path) -> list[Outcome]:
    parts = load_parts(snapshots.open(graph), encoder)
    answerer = load_answerer(AnswererSpec(graph, None, DEFAULT), parts)
    if isinstance(answerer, PathAnswerer):
        answerer.retriever = ZeroShotRetriever(answerer.snapshot, encoder, doubts=doubts)
    return [
        ask(answerer, question, budget=_BUDGET, seed=_SEED, topics="linked", subgraphs="whole")
        for question in questions
    ]


def _copies(graph: Graph, encoder: Encoder) -> Iterator[tuple[Path, list[QuestionRecord]]]:
    """Copies without relations that most questions need, and questions that need them."""
    snapshot = snapshots.open(graph.snapshot)
    maker = PathExampleMaker(snapshot, encoder, "")
    needing: dict[tuple[str, ...], list[QuestionRecord]] = defaultdict(list)
    for question, known in graph.questions:
        relations = maker.find_needed_relations(known)
        if relations:
            labels = tuple(sorted({snapshot.get_relation_label(relation) for relation in relations}))
            needing[labels].append(question)
    most = sorted(needing.items(), key=lambda item: (-len(item[1]), item[0]))[: graph.copies]
    for labels, some in most:
        chosen = random.Random(_SEED).sample(some, min(len(some), _EACH))
        copy = _without(graph, labels)
        if copy is not None:
            yield copy, chosen


def _without(graph: Graph, labels: Sequence[str]) -> Path | None:
    """The graph without the facts of some relations, built once; None where nothing is left of it."""
    name = re.sub(r"\W+", "_", f"{graph.snapshot.stem}-{'-'.join(labels)}")[:120]
    built = CACHE / "lacking" / name
    if not built.is_dir():
        kept = []
        for file in graph.facts:
            mark = "|" if file.name.startswith("kb.txt") else "\t"
            with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
                every = [line.rstrip("\n").split(mark) for line in lines]
            kept += [row for row in every if len(row) == 3 and row != ["head", "relation", "tail"]]
        kept = [row for row in kept if format_relation_name(row[1]) not in labels and row[1] not in labels]
        if not kept:
            return None
        built.parent.mkdir(parents=True, exist_ok=True)
        written = built.parent / f"{name}.tsv"
        written.write_text("".join("\t".join(row) + "\n" for row in kept), encoding="utf-8")
        clew("build-graph", str(written), "--out", str(built), "--no-index")
    return built


def _graphs(name: str) -> Iterator[Graph]:
    if name in QUESTION_SETS:
        there = prepared(name)
        if there is not None:
            yield _of_set(name, there.graph, there.questions)
        return
    by_graph: dict[Path, list[tuple[QuestionRecord, TopicQuestion]]] = defaultdict(list)
    for one in suites([name]):
        if UNANSWERABLE not in one.operators and set(one.operators) <= {"path", "typed"}:
            known = find_topic(snapshots.open(one.graph), one.text, one.right[0])
            if known is not None:
                question = QuestionRecord(one.id, one.text, answers=one.right[0], also=one.right[1:])
                by_graph[one.graph].append((question, known))
    for graph, questions in by_graph.items():
        facts = OWN_GRAPHS / f"{graph.name.removeprefix(f'{name}-')}.tsv"
        yield Graph(graph, (facts,), tuple(questions), _SMALL_COPIES)


def _of_set(name: str, graph: Path, questions: Path) -> Graph:
    snapshot = snapshots.open(graph)
    every = assign_splits(list(read_questions(questions, problems=lambda _: None)))
    test = [one for one in every if one.split == "test" and one.answers and len(one.topic_entities) == 1]
    drawn: list[tuple[QuestionRecord, TopicQuestion]] = []
    for hops in sorted({one.hops or 0 for one in test}):
        some = [one for one in test if (one.hops or 0) == hops]
        random.Random(_SEED).shuffle(some)
        size = _DRAWN if len({one.hops or 0 for one in test}) > 1 else 2 * _DRAWN
        drawn += [
            (
                own.question,
                TopicQuestion(own.question.question, own.topics[0], own.names, frozenset(own.answers)),
            )
            for own in resolve_questions(snapshot, some[:size])[0]
        ]
    files = [found(path) for path in QUESTION_SETS[name].facts]
    return Graph(graph, tuple(file for file in files if file is not None), tuple(drawn))
