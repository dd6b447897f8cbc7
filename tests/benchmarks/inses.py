"""INSES: supporting passages of MuSiQue, and facts of MINE's articles in the graphs that extractors made of them."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from retrieval.answering.decomposition_steps import ASK
from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.parts import GraphParts
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import ask
from retrieval.events import AgentStep
from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import indexing
from retrieval.linking.encoder import Encoder
from retrieval.linking.stems import extract_stems
from retrieval.metrics.scores import Fact
from retrieval.questions.files import read_questions
from retrieval.types import QuestionRecord
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew
from tests.benchmarks.text import METRICS, in_half_a

COMMAND = "python -m tests.benchmarks inses"
FORMS: dict[str, dict[str, bool]] = {
    "`inses`": {},
    "`inses` without similarity jumps": {"similarity": False},
    "`inses`, asked at once": {"decompose": False},
    "`inses`, asked at once, without similarity jumps": {"decompose": False, "similarity": False},
}
"""How INSES is asked on MuSiQue."""
MINE = {
    "`inses`": {},
    "`inses`, filled up": {"fill": True},
}
"""How INSES is asked on MINE's graphs."""
SHIFTED = 16
"""The article, counted from 1, from which on the file has each one's graphs in the row of the next."""
CHOSEN_ON = 12
"""Articles that the navigator's settings for graphs without passages were chosen on."""
BUDGETS = (5, 15)
"""Triples of a MINE graph that a retriever may give back for a fact."""
BOUNDS = (0.7, 0.8)
"""Shares of a fact's words from which what was retrieved counts as sufficient; set before anything was measured."""


def measure(data: Sequence[str] = ()) -> list[Section]:
    """What of this (``MuSiQue``, ``MINE``, both when none is named) can be measured with the data that is there."""
    parts = {"MuSiQue": _musique, "MINE": _mine}
    made = (part() for name, part in parts.items() if name in data or not data)
    return [section for section in made if section is not None]


def _musique() -> Section | None:
    passages, asked = (found("text", f"musique_{name}.jsonl.gz") for name in ("passages", "questions"))
    if passages is None or asked is None:
        return None
    section = Section(
        "inses on MuSiQue",
        COMMAND,
        "1,890 passages with the triples extracted from them, 100 questions, default encoder as navigator, no language "
        "model, budget 50. Weights were chosen on half A (docs/inses.md). A step is one iteration of the search.",
        head=("method", "questions", "n", *METRICS, "a step, p50 / p95"),
    )
    corpus = CACHE / "sets" / "MuSiQue.corpus"
    if not corpus.is_dir():
        clew("build-corpus", str(passages), "--out", str(corpus))
    clew("index", str(corpus))
    for label, options in FORMS.items():
        settings = (f"--set={name}={str(value).lower()}" for name, value in options.items())
        with tempfile.TemporaryDirectory() as folder:
            questions, out = Path(folder) / "questions.jsonl", Path(folder) / "report.json"
            clew("import-questions", str(asked), "--format", "jsonl", "--out", str(questions))
            clew(
                *("evaluate", "--method", "inses", *settings),
                *("--corpus", str(corpus), "--questions", str(questions), "--out", str(out)),
            )
            rows = json.loads(out.read_text(encoding="utf-8"))["per_question"]
            times = _step_times(corpus, options, questions)
        halves = {
            "A": [row for row in rows if in_half_a(row["id"])],
            "B": [row for row in rows if not in_half_a(row["id"])],
            "all": rows,
        }
        spent = f"{np.median(times):.0f} / {np.quantile(times, 0.95):.0f} ms"
        for name, own in halves.items():
            figures = (f"{fmean(row[metric] for row in own):.3f}" for metric in METRICS)
            section.add(label, name, str(len(own)), *figures, spent if name == "all" else "")
    return section


def _step_times(corpus: Path, options: dict[str, bool], questions: Path) -> list[float]:
    """How long each step of the search took, in ms; the first questions warm up."""
    answerer = _answerer(load_parts(corpus, load_encoder(device="cpu")), **options)
    asked = [question.question for question in read_questions(questions, problems=print)]
    for text in asked[:3]:
        list(answerer.run(AskRequest(Question(f"{text} "))))
    events = (event for text in asked for event in answerer.run(AskRequest(Question(text))))
    return [event.took_ms for event in events if isinstance(event, AgentStep) and event.action != ASK]


def _answerer(parts: GraphParts, **options: bool) -> Answerer:
    spec = AnswererSpec(parts.snapshot.path, method="inses", options=tuple(options.items()))
    return load_answerer(spec, parts)


@dataclass(frozen=True, slots=True)
class Trial:
    """One fact of an article (counted from 1), asked of one graph: what the retriever gave back."""

    article: int
    graph: str
    retriever: str
    fact: str
    triples: tuple[str, ...]


def _mine() -> Section | None:
    articles = found("text", "mine_1_50.jsonl.gz")
    if articles is None:
        return None
    trials = defaultdict[tuple[str, str], list[Trial]](list)
    with gzip.open(articles, "rt", encoding="utf-8") as lines:
        for number, article in enumerate(_aligned([json.loads(line) for line in lines]), start=1):
            for trial in _trials(number, article, load_encoder(device="cpu")):
                trials[trial.graph, trial.retriever].append(trial)
    section = Section(
        "inses on MINE",
        COMMAND,
        "Each of an article's 15 facts is the query, on the graph that each extractor made of the article (missing "
        "and empty graphs are left out; from the 16th article on the file has each article's graphs in the next "
        "one's row, where they are taken from). Both retrievers may return the same number of triples. *Nearest*: "
        "by cosine of the default encoder between the fact and the triple's words. Sufficient, without a language "
        f"model's judgement: all returned triples together hold at least {BOUNDS[0]} (or {BOUNDS[1]}) of the fact's "
        "content words, without stop words and endings; more strictly, two of them do. *Filled up*: with the best "
        "remaining triples, up to the budget. *The whole graph*: the upper bound. New parts of this form were "
        f"chosen on articles 1-{CHOSEN_ON}; the last column leaves them out.",
        head=(
            *("graph", "facts", "retriever, budget", "given back"),
            *(f"all, {bound}" for bound in BOUNDS),
            *(f"two, {bound}" for bound in BOUNDS),
            f"all, {BOUNDS[0]}, articles {CHOSEN_ON + 1}-49",
        ),
    )
    for (graph, retriever), own in sorted(trials.items(), key=lambda item: item[0][0]):
        shares = np.array([(held_by_all(t.fact, t.triples), held_by_two(t.fact, t.triples)) for t in own])
        figures = (f"{np.mean(shares[:, kind] >= bound):.3f}" for kind in (0, 1) for bound in BOUNDS)
        given = fmean(len(trial.triples) for trial in own)
        new = fmean(held_by_all(t.fact, t.triples) >= BOUNDS[0] for t in own if t.article > CHOSEN_ON)
        section.add(graph, str(len(own)), retriever, f"{given:.1f}", *figures, f"{new:.3f}")
    return section


def _aligned(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The articles with their own graphs: from ``SHIFTED`` on they stand in the file's next row. The last has none."""
    rows = articles[: SHIFTED - 1] + articles[SHIFTED:]
    return [{**article, "graphs": row["graphs"]} for article, row in zip(articles, rows, strict=False)]


def _trials(article: int, held: dict[str, object], encoder: Encoder) -> Iterator[Trial]:
    """All facts of an article on all its graphs."""
    facts, graphs = held["facts"], held["graphs"]
    assert isinstance(facts, list), "the facts of MINE are texts"
    assert isinstance(graphs, dict), "the graphs of MINE have names"
    wanted = encoder.encode(facts)
    for name, triples in graphs.items():
        if not triples:
            continue
        built = _built(CACHE / "mine" / f"{article}.{name}.own", TripleTable.from_facts(triples))
        indexing.build(built, encoder)
        texts = [text_of(fact) for fact in _facts_of(built)]
        close = wanted @ encoder.encode(texts).T
        parts = load_parts(built, encoder)
        answerers = {label: _answerer(parts, **options) for label, options in MINE.items()}
        for place, fact in enumerate(facts):
            yield Trial(article, name, "the whole graph", fact, tuple(texts))
            for budget in BUDGETS:
                nearest = np.argsort(-close[place], kind="stable")[:budget].tolist()
                yield Trial(article, name, f"nearest, {budget}", fact, tuple(texts[i] for i in nearest))
                for label, answerer in answerers.items():
                    got = _asked(answerer, fact, budget)
                    yield Trial(article, name, f"{label}, {budget}", fact, tuple(map(text_of, got)))


def _built(home: Path, table: TripleTable) -> snapshot.Snapshot:
    """The graph of some triples, kept between runs."""
    return snapshot.open(home) if home.is_dir() else build_snapshot(table, home)


def _facts_of(graph: snapshot.Snapshot) -> Iterator[Fact]:
    """The triples of a graph, spelt as its facts are where a run tells of them."""
    for fact in range(graph.num_triples):
        head, tail = (graph.get_entity_label(int(ends[fact])) for ends in (graph.heads, graph.tails))
        yield head, graph.get_relation_step(int(graph.relations[fact])).name, tail


def _asked(answerer: Answerer, fact: str, budget: int) -> list[Fact]:
    outcome = ask(answerer, QuestionRecord("fact", fact), budget=budget, seed=0)
    if outcome.error or len(outcome.facts) > budget:
        raise RuntimeError(f"{fact}: {outcome.error or f'{len(outcome.facts)} triples for {budget}'}")
    return sorted(outcome.facts)


def text_of(fact: Fact) -> str:
    """A triple as words."""
    return " ".join(fact)


def held_by_all(fact: str, triples: Iterable[str]) -> float:
    """The share of a fact's content words that some triples hold together."""
    return _held(frozenset(extract_stems(fact)), [frozenset(extract_stems(triple)) for triple in triples])


def held_by_two(fact: str, triples: Iterable[str]) -> float:
    """The share of a fact's content words that the best two triples hold."""
    wanted = frozenset(extract_stems(fact))
    useful = {wanted.intersection(extract_stems(triple)) for triple in triples}
    alone = max((_held(wanted, [words]) for words in useful), default=0.0)
    return max((_held(wanted, pair) for pair in combinations(useful, 2)), default=alone)


def _held(wanted: frozenset[str], triples: Iterable[frozenset[str]]) -> float:
    return len(wanted & frozenset().union(*triples)) / len(wanted)
