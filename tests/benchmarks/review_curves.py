"""What reviewing is worth: Macro-F1 against reviewed items, by the order of the queue; from shortest-path labels.

A simulated analyst looks at the shortest paths of a question. One that is not the rational path is refused and the
rational one added; the error rate is the share of paths judged the other way round. Finished cells are kept. How many
of the wrong labels an order brings early is counted besides, without training.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import accumulate, product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.report import build_report
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.storage import save_json
from retrieval.questions.files import read_questions
from retrieval.questions.splits import split_of
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import Grounded, resolve_questions
from retrieval.supervision.labels import Label
from retrieval.supervision.verdicts import merge
from retrieval.train import train
from retrieval.types import QuestionRecord
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, prepared
from webapp.review.domain.uncertainty import compute_uncertainty

METHOD = "rel-rag-path"
SEEDS = (0, 1, 2)
ORDERS = ("uncertainty", "random", "sequential")
ERRORS = (0.0, 0.1)
POOL, DEV, TEST = 300, 30, 100
REVIEWED = (0, 50, 100, 200, POOL)
#: A small form that trains in seconds; the same for every cell.
SMALL = {
    "composed": 0, "hidden": 64, "epochs": 5, "patience": 5, "learning_rate": 0.004, "batch_size": 32,
    "neighbours": 8, "arcs_per_relation": 2,
}  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {"MetaQA": SMALL, "WebQSP": {**SMALL, "max_hops": 2}}
COMMAND = "python -m tests.benchmarks review_curves"


@dataclass(frozen=True)
class Cell:
    """One training on what was reviewed so far."""

    data: str
    seed: int
    error: float
    order: str
    reviewed: int

    @property
    def file(self) -> Path:
        name = f"{self.data}-{self.seed}-{self.error:g}-{self.order}-{self.reviewed}.json"
        return CACHE / "review_curves" / name


def cells(data: str) -> Iterator[Cell]:
    """Every cell of a set, what tells most first. Nothing and everything reviewed are the same in every order."""
    for seed in SEEDS:
        yield Cell(data, seed, 0.0, "any", 0)
        for order in ORDERS[:2]:
            yield Cell(data, seed, 0.0, order, 100)
        yield Cell(data, seed, 0.0, "any", POOL)
    for reviewed, seed, order in product((50, 200), SEEDS, ORDERS[:2]):
        yield Cell(data, seed, 0.0, order, reviewed)
    for reviewed, seed in product((100, 50, 200), SEEDS):
        yield Cell(data, seed, 0.0, "sequential", reviewed)
    for reviewed, seed, order in product((100, 50, 200), SEEDS, ORDERS[:2]):
        yield Cell(data, seed, ERRORS[1], order, reviewed)
    for seed in SEEDS:
        yield Cell(data, seed, ERRORS[1], "any", POOL)


@dataclass(frozen=True)
class Judged:
    """A question of a pool, as far as the order of a queue depends on it.

    Attributes:
        key: its id.
        answers: how many it has.
        labels: of each shortest path, its score, and whether it is wrong.
    """

    key: str
    answers: int
    labels: tuple[tuple[float, bool], ...]

    @property
    def uncertainty(self) -> float:
        return compute_uncertainty([("", {0: score}) for score, _ in self.labels], {0: "shortest-path"})[0]

    @property
    def wrong(self) -> int:
        return sum(wrong for _, wrong in self.labels)


def ordered(questions: Sequence[Judged], order: str, seed: int) -> list[Judged]:
    """Questions in an order of the queue."""
    rows = list(questions)
    if order == "random":
        random.Random(seed).shuffle(rows)
    elif order == "uncertainty":
        rows.sort(key=lambda one: (not one.labels, -one.doubt, one.answers))
    return rows


class Remembering:
    """An encoder that encodes each text once."""

    def __init__(self) -> None:
        self._encoder = load_encoder()
        self.name, self.dim = self._encoder.name, self._encoder.dim
        self._vectors: dict[str, np.ndarray] = {}
        self._words: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new or not texts:
            self._vectors.update(zip(new, found := self._encoder.encode(new), strict=True))
        return np.stack([self._vectors[text] for text in texts]) if texts else found

    def encode_words(self, texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._words]
        if new:
            vectors, words = self._encoder.encode_words(new)
            self._words.update(zip(new, zip(vectors, words, strict=True), strict=True))
        if not texts:
            return self._encoder.encode_words(texts)
        return np.stack([self._words[text][0] for text in texts]), [self._words[text][1] for text in texts]


class Pool:
    """Questions to be reviewed, drawn by a seed from those that are not for testing."""

    def __init__(self, name: str, seed: int, encoder: Remembering) -> None:
        of = prepared(name)
        if of is None:
            raise FileNotFoundError(name)
        self.graph, self.encoder, self.seed = of.graph, encoder, seed
        self.snapshot = kg.open(of.graph)
        every = [q for q in read_questions(of.questions, problems=_ignore) if q.topic_entities and q.answers]
        if name == "WebQSP":  # its own test split is small: two in five questions are for testing
            every = [replace(q, split="test" if _in_test(q) else "train") for q in every]
        self.grounded = self._drawn([q for q in every if q.split != "test"], POOL, seed)
        dev = set(random.Random(seed + 1).sample(range(POOL), DEV))
        self.questions = [
            replace(one.question, split="dev" if i in dev else "train") for i, one in enumerate(self.grounded)
        ]
        asked = self._drawn([q for q in every if q.split == "test"], TEST, 0)
        self.test = [one.question for one in asked]

    def _drawn(self, questions: Sequence[QuestionRecord], count: int, seed: int) -> list[Grounded]:
        """So many questions that the graph knows, in their own order."""
        some = random.Random(seed).sample(range(len(questions)), min(len(questions), 2 * count))
        known = {one.question.id: one for one in resolve_questions(self.snapshot, [questions[i] for i in some])[0]}
        chosen = {questions[i].id for i in [i for i in some if questions[i].id in known][:count]}
        return [known[question.id] for question in questions if question.id in chosen]

    @cached_property
    def start(self) -> dict[str, list[Label]]:
        """The shortest paths of each question."""
        return self._labels("shortest-path")

    @cached_property
    def truth(self) -> dict[str, list[Label]]:
        """The rational paths of each question, of answer-set consistency; what stands for a person's knowledge."""
        return self._labels("answer-set")

    def _labels(self, strategy: str) -> dict[str, list[Label]]:
        found = rationalizers.get(strategy).label(self.snapshot, self.grounded, encoder=self.encoder)
        by_question: dict[str, list[Label]] = {question.id: [] for question in self.questions}
        for label in found.labels:
            by_question[label.question].append(label)
        return by_question

    def is_wrong(self, label: Label) -> bool:
        """Whether a path is none of its question's rational ones."""
        right = [(one.topic, one.path) for one in self.truth[label.question]]
        return (label.topic, label.path) not in right

    def judged(self) -> list[Judged]:
        """What the order depends on; kept beside the cells."""
        return [
            Judged(q.id, len(q.answers), tuple((x.score, self.is_wrong(x)) for x in self.start[q.id]))
            for q in self.questions
        ]

    def order(self, name: str) -> list[str]:
        """Ids of the questions in an order of the queue."""
        return [one.key for one in ordered(self.judged(), name, self.seed)]

    def reviewed(self, cell: Cell) -> list[Label]:
        """The labels once the first items of the order were judged."""
        verdicts = [v for key in self.order(cell.order)[: cell.reviewed] for v in self._judge(key, cell.error)]
        return merge([label for found in self.start.values() for label in found], verdicts)

    def _judge(self, key: str, error: float) -> Iterator[Label]:
        truly_wrong = False
        for label in self.start[key]:
            wrong = self.is_wrong(label)
            errs = random.Random(f"{self.seed}:{key}:{label.topic}:{label.path}").random() < error
            verdict = "rejected" if wrong != errs else "accepted"
            yield replace(label, source="analyst", score=1.0, verdict=verdict)
            truly_wrong |= wrong and not errs
        if truly_wrong or not self.start[key]:
            for label in self.truth[key]:
                yield replace(label, source="analyst", score=1.0)


def _ignore(problem: object) -> None:
    pass


def _in_test(question: QuestionRecord) -> bool:
    return any(split_of(question.id, seed) == "test" for seed in range(100, 105))


def measure(data: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """Run the cells of the chosen sets that are not finished; the sections of all that are."""
    names = list(data or SETTINGS)
    if run:
        encoder = Remembering()
        pools = {name: [_pool(name, seed, encoder) for seed in SEEDS] for name in names if prepared(name) is not None}
        for name, made in pools.items():
            _run(name, made)
    sections = [_found(), *(_figures(name) for name in SETTINGS)]
    return [section for section in sections if section.rows]


def _pool(name: str, seed: int, encoder: Remembering) -> Pool:
    """The pool, once what its orders depend on is kept."""
    pool = Pool(name, seed, encoder)
    if not _judged_file(name, seed).is_file():
        save_json(_judged_file(name, seed), [asdict(one) for one in pool.judged()])
    return pool


def _judged_file(name: str, seed: int) -> Path:
    return CACHE / "review_curves" / f"{name}-{seed}.judged.json"


def _found() -> Section:
    """How many of the wrong labels are among the first items of an order."""
    section = Section(
        "Wrong labels found",
        COMMAND,
        f"Of {POOL} questions with shortest-path labels (three draws): the share of all wrong labels that is among "
        "the first N reviewed. Wrong: another path than the one of answer-set consistency. No training.",
        head=("set", "reviewed", *ORDERS, "as many by random order"),
    )
    for name in SETTINGS:
        files = [_judged_file(name, seed) for seed in SEEDS]
        if not all(file.is_file() for file in files):
            continue
        pools = [[_judged(row) for row in json.loads(file.read_text())] for file in files]
        curves = {order: _shares(pools, order) for order in ORDERS}
        for reviewed in (25, 50, 100, 150, 200, 250):
            reached = curves["uncertainty"][reviewed]
            same = next(n for n, share in enumerate(curves["random"]) if share >= reached)
            shares = (f"{curves[order][reviewed]:.2f}" for order in ORDERS)
            section.add(name, f"{reviewed}", *shares, f"at {same}")
    return section


def _judged(row: dict[str, Any]) -> Judged:
    return Judged(row["key"], row["answers"], tuple((score, wrong) for score, wrong in row["labels"]))


def _shares(pools: Sequence[Sequence[Judged]], order: str) -> list[float]:
    """By number of reviewed items, the share of wrong labels among them, mean of the pools; random of many draws."""
    curves = []
    for pool, seed in product(pools, range(50) if order == "random" else (0,)):
        rows = ordered(pool, order, seed)
        total = sum(one.wrong for one in rows)
        curves.append([0.0, *(n / total for n in accumulate(one.wrong for one in rows))])
    return [fmean(shares) for shares in zip(*curves, strict=True)]


def _run(name: str, pools: Sequence[Pool]) -> None:
    for cell in cells(name):
        if not cell.file.is_file():
            found = _cell(cell, pools[SEEDS.index(cell.seed)])
            save_json(cell.file, found)
            print(f"{cell.file.stem}: Macro-F1 {found['macro_f1']:.3f}", flush=True)


def _cell(cell: Cell, pool: Pool) -> dict[str, float]:
    home = CACHE / "review_curves" / f"{cell.file.stem}.work"
    home.mkdir(parents=True, exist_ok=True)
    try:
        train(
            METHOD, pool.snapshot, pool.questions, labels=pool.reviewed(cell),
            config=SETTINGS[cell.data] | {"seed": cell.seed}, out=home / "checkpoint", encoder=pool.encoder,
            cache=home / "cache",
        )  # fmt: skip
        spec = AnswererSpec(pool.graph, home / "checkpoint", METHOD, "extractive", cache=home / "cache")
        answerer = load_answerer(spec, load_parts(pool.snapshot, pool.encoder))  # type: ignore[arg-type]
        evaluation = evaluate_answerer(answerer, pool.test, budget=50, seed=0, topics="given", subgraphs="whole")
        metrics = build_report(evaluation, checkpoint=home / "checkpoint", split="test")["metrics"]
        return {"macro_f1": metrics["macro_f1"]}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _figures(name: str) -> Section:
    """A row for each number of reviewed items, a column for each order; and what an order saves."""
    curves = [(order, 0.0) for order in ORDERS] + [(order, 0.1) for order in ORDERS[:2]]
    section = Section(
        f"Value of review on {name}",
        f"{COMMAND} --data {name}",
        f"`{METHOD}` in a small form ({POOL} questions with shortest-path labels, {DEV} of them for dev), trained "
        f"anew on the labels as they are after N reviewed questions; Macro-F1 on {TEST} test questions, mean ± "
        f"sample deviation of {len(SEEDS)} seeds (which draw the questions too), or each seed that is done. "
        "Simulated reviewers reject a path that is not the one of answer-set consistency and add that one; with 10% "
        "errors, one verdict in ten is reversed.",
        head=("reviewed", *(f"{order}{', 10% errors' if error else ''}" for order, error in curves)),
    )
    means: dict[tuple[str, float], list[float]] = {curve: [] for curve in curves}
    for reviewed in REVIEWED:
        row = []
        for order, error in curves:
            found = _kept(name, order, error, reviewed)
            scores = [one["macro_f1"] for one in found]
            if len(found) < len(SEEDS):  # partial: each seed by itself
                row.append(", ".join(f"{score:.3f}" for score in scores))
                continue
            means[order, error].append(fmean(scores))
            row.append(f"{fmean(scores):.3f} ± {stdev(scores):.3f}")
        if any(row):
            section.add(f"{reviewed}", *row)
    for order, error in curves:
        random_curve = means["random", error]
        if order != "random" and len(means[order, error]) == len(random_curve) == len(REVIEWED):
            section.add(f"{order}{', 10% errors' if error else ''}: {saved(means[order, error], random_curve)}")
    return section


def _kept(name: str, order: str, error: float, reviewed: int) -> list[dict[str, float]]:
    asked = [
        Cell(name, seed, 0.0 if reviewed == 0 else error, order if 0 < reviewed < POOL else "any", reviewed)
        for seed in SEEDS
    ]
    return [json.loads(cell.file.read_text()) for cell in asked if cell.file.is_file()]


def saved(curve: Sequence[float], other: Sequence[float]) -> str:
    """At what number of items a curve reaches what the other one has at each number, in words."""
    parts = []
    for reviewed, reached in list(zip(REVIEWED, other, strict=True))[1:-1]:
        needed = needs(curve, reached)
        parts.append(
            f"{reached:.3f} (random at {reviewed}) at {'more than all' if needed is None else f'{needed:.0f}'}"
        )
    return ", ".join(parts)


def needs(curve: Sequence[float], reached: float) -> float | None:
    """The first number of reviewed items (between points by a straight line) at which a curve is as high, if any."""
    for i, now in enumerate(curve):
        if now >= reached:
            if i == 0:
                return 0.0
            before, at, after = curve[i - 1], REVIEWED[i - 1], REVIEWED[i]
            return at + (reached - before) / (now - before) * (after - at)
    return None
