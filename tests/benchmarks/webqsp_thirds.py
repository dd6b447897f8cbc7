"""Trained methods on the WebQSP half, each question asked of weights that did not see it (RAPL and REL-RAG, Table 1).

The 766 questions are divided into three parts by a hash of their ids; each part is asked of checkpoints trained on the
other two. Resumable like ``methods``.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrieval.answering.loading import load_encoder
from retrieval.errors import ConfigError
from retrieval.evaluation.study import StudyRunner
from retrieval.kg import snapshot as snapshots
from retrieval.linking.encoder import Encoder
from retrieval.metrics.bootstrap import compute_intervals
from retrieval.metrics.scores import compute_metrics, score_of_row
from retrieval.questions.files import read_questions, write_questions
from retrieval.questions.splits import split_of
from retrieval.studies.plan import DataSet, StudyConfig, Variant, list_cells
from retrieval.supervision import rationalizers
from retrieval.supervision.grounding import resolve_questions
from retrieval.types import QuestionRecord
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, prepared

PARTS = 3
BUDGETS = (50, 500)
SHOWN = ("hit", "hit_at_1", "macro_f1", "exact_set", "answer_recall", "avg_triples")
WALKERS, RANKERS = ("rapl", "rel-rag-path"), ("rel-rag-triple", "reg-triple", "reg-entity")
#: What it explores is all that it reads, whatever the budget.
EXPLORER = "graph-s3"
#: A domain of fewer questions is counted with the others.
LEAST = 20


def measure(methods: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """Train and ask the chosen methods; all in the default form when none is named, the papers' (``rapl, paper``)
    when it is. Without ``run``, only show what is finished."""
    forms = list(dict.fromkeys(form for form, *_ in variants()))
    for name in methods:
        if name not in forms:
            raise ConfigError(f"There is no method {name!r} here.", hint=f"There is: {'; '.join(forms)}.")
    whole, asked = prepared("WebQSP"), found("freebase-piece", "webqsp_half.jsonl.gz")
    if whole is None or asked is None:
        return []
    questions = read_questions(asked, problems=lambda _: None)
    about = (
        f"The {len(questions)} questions in {PARTS} parts by a hash of the id, each part asked of checkpoints "
        "trained on the other two (a tenth of them for choosing the epoch), on the whole piece of Freebase. Labels by "
        "answer sets, topics given, extractive reasoner, one seed, no language model; "
    )
    section = Section(
        "WebQSP in three parts",
        "python -m tests.benchmarks webqsp_thirds",
        f"{about}95% intervals by bootstrap over the questions. *Reads* `auto` executes relation paths on the whole "
        "graph, `paths` and `triples` within what was retrieved; `paper` trains and asks in the papers' form.",
        head=("method", "reads", "budget", *SHOWN, "training of a part"),
    )
    domains = Section(
        "WebQSP by domain",
        "python -m tests.benchmarks webqsp_thirds",
        f"{about}by the first part of the name of the first relation of the question's best label by answer sets; "
        f"domains of at least {LEAST} questions. Each cell is Hit / Macro-F1, read by `auto`, 50 triples.",
    )
    encoder = load_encoder()
    studies = [
        StudyRunner(config, CACHE / "webqsp_thirds", encoder=encoder, say=print)
        for config in _studies(whole, questions)
    ]
    results = _results(studies, methods, run=run)
    for (variant, reads, budget), (rows, seconds) in results.items():
        scores = [score_of_row(row) for row in rows]
        figures, bounds = compute_metrics(scores), compute_intervals(scores)
        shown = (
            f"{figures[name]:.1f}" if name == "avg_triples" else _with_interval(figures[name], bounds.get(name))
            for name in SHOWN
        )
        section.add(variant, reads, str(budget), *shown, f"{np.mean(seconds):.0f} s")
    plain = {key[0]: rows for key, (rows, _) in results.items() if key[1:] == ("auto", BUDGETS[0])}
    if plain:
        _by_domain(domains, plain, _domains(whole, questions, encoder))
    return [of for of in (section, domains) if of.rows]


def variants() -> Iterator[tuple[str, str, int, Variant]]:
    """Name of a method and form, what is read, the budget, and the variant."""
    for form in ("", ", paper"):
        for method in (*WALKERS, *RANKERS):
            evidence = "paths" if method in WALKERS else "triples"
            preset: dict[str, Any] = {"preset": "paper"} if form else {}
            of: str | None = None
            for budget in BUDGETS:
                top = {} if method in WALKERS else {"top_k": budget}
                for reads in (evidence,) if form else ("auto", evidence):
                    options = {**preset, **top} if form else {**top, "evidence": reads}
                    variant = Variant(method, {} if of else preset, options, of=of, budget=budget)
                    if of is None:
                        variant, of = (
                            replace(variant, strategy="answer-set"),
                            _name(method + form, reads, budget),
                        )
                    yield method + form, reads, budget, variant
    yield EXPLORER, "auto", BUDGETS[0], Variant(EXPLORER, strategy="answer-set", budget=BUDGETS[0])


def _studies(whole: DataSet, questions: Sequence[QuestionRecord]) -> Iterator[StudyConfig]:
    """One for each part of the questions."""
    home = CACHE / "webqsp_thirds"
    home.mkdir(parents=True, exist_ok=True)
    for part in range(PARTS):
        file = home / f"part-{part}.jsonl"
        if not file.is_file():
            write_questions(file, (replace(question, split=_split(question, part)) for question in questions))
        every = {_name(form, reads, budget): variant for form, reads, budget, variant in variants()}
        yield StudyConfig({f"part {part}": DataSet(whole.graph, file)}, every)


def _split(question: QuestionRecord, part: int) -> str:
    """``test`` in its own part; else a tenth is ``dev``."""
    digest = hashlib.sha256(f"part:{question.id}".encode()).digest()
    if int.from_bytes(digest[:8], "big") % PARTS == part:
        return "test"
    return "dev" if split_of(question.id) == "dev" else "train"


def _name(form: str, reads: str, budget: int) -> str:
    return f"{form}, {reads}, {budget}"


Key = tuple[str, str, int]


def _results(
    studies: Sequence[StudyRunner], methods: Sequence[str], *, run: bool
) -> dict[Key, tuple[list[dict[str, Any]], list[float]]]:
    """The rows of all questions and the seconds of training, of each variant that is finished for every part."""
    results = {}
    for form, reads, budget, variant in variants():
        name = _name(form, reads, budget)
        wanted = run and (form in methods if methods else form == variant.method)
        rows: list[dict[str, Any]] = []
        seconds = []
        for study in studies:
            cell = next(cell for cell in list_cells(study.config) if cell.variant == name)
            result = study.run_cell(cell) if wanted else study.find_result(cell)
            if result is None:
                break
            rows += json.loads(study.get_report_path(cell).read_text(encoding="utf-8"))["per_question"]
            seconds.append(float(result["training"]["seconds"]))
        else:
            results[form, reads, budget] = rows, seconds
    return results


def _domains(whole: DataSet, questions: Sequence[QuestionRecord], encoder: Encoder) -> dict[str, str]:
    """The domain of each question that has a label."""
    graph = snapshots.open(whole.graph)
    grounded, _ = resolve_questions(graph, questions)
    labels = rationalizers.get("answer-set").label(graph, grounded, encoder=encoder).labels
    best: dict[str, tuple[float, str]] = {}
    for label in labels:
        if label.path and label.score > best.get(label.question, (-1.0, ""))[0]:
            best[label.question] = label.score, label.path[0][0].split(".", 1)[0]
    return {question: domain for question, (_, domain) in best.items()}


def _by_domain(
    section: Section, results: Mapping[str, Sequence[Mapping[str, Any]]], domains: Mapping[str, str]
) -> None:
    """A row for each domain, largest first; the columns are the methods."""
    section.head = ("domain", "questions", *results)
    members: dict[str, set[str]] = defaultdict(set)
    for question in next(iter(results.values())):
        members[domains.get(question["id"], "no label")].add(question["id"])
    small = set[str]()
    for name in [name for name, ids in members.items() if len(ids) < LEAST and name != "no label"]:
        small |= members.pop(name)
    ordered = sorted(members, key=lambda name: (name == "no label", -len(members[name])))
    for name, ids in [*((name, members[name]) for name in ordered), ("all others", small)]:
        if not ids:
            continue
        figures = (
            compute_metrics([score_of_row(row) for row in rows if row["id"] in ids]) for rows in results.values()
        )
        section.add(name, str(len(ids)), *(f"{of['hit']:.3f} / {of['macro_f1']:.3f}" for of in figures))


def _with_interval(figure: float, bounds: Sequence[float] | None) -> str:
    return f"{figure:.3f}" if bounds is None else f"{figure:.3f} ({bounds[0]:.3f}–{bounds[1]:.3f})"
