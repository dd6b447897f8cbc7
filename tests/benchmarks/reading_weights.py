"""What spans are worth as answers (``retrieval.reasoning.span_worth``): the weights fitted again, and answers by them.

Fitted on half A of MuSiQue's 100 questions, and on questions of one and of two steps written from the triples of
passages that support none of the 100. Half B is only measured, and so is half of those of one step. What comes out is
printed; the code has it rounded, with words of a joined passage worth no more than the sentence's own.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from retrieval.evaluation.answers import exact_match
from retrieval.events import AnswerFinal, PassagesRetrieved
from retrieval.loading import load_encoder, load_engine, load_parts
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.methods._shared.parts import GraphParts
from retrieval.pipeline import AskRequest
from retrieval.reasoning.reading import read_passages, weigher
from retrieval.reasoning.span_worth import Worth, read_spans
from retrieval.reasoning.spans import like_person
from retrieval.types import RetrievedPassage
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew
from tests.benchmarks.text import in_half_a

HAND = Worth(0.5, 2.5, 1.0, 0.6, 0.15, 0.3, 0.2, 0.3, *[0.0] * 8)
"""Weights set by hand, which the fitted ones stay near."""
FIXED = {"end": 0.6, "sentence": 0.0}
"""Not fitted: no search ends anywhere in a written question, and likeness shall not speak against a sentence."""
TWO_STEPS, ONE_STEP = 0.3, 1.0
"""How much written questions weigh, where one of people weighs 1."""
PULL = 0.05
WRITTEN, EACH, READ = 700, 4, 5
ALONE = 260
"""Passages that a question of one step is written of."""
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Trial:
    """A question's spans: what speaks for each [n, F], which name it is [n], which names are right [names]."""

    features: torch.Tensor
    names: torch.Tensor
    right: torch.Tensor
    weigh: float
    half: str


def measure() -> list[Section]:
    """Fit the weights, print them, and answer all questions with those that the code has."""
    passages, questions = (found("text", f"musique_{name}.jsonl.gz") for name in ("passages", "questions"))
    if passages is None or questions is None:
        return []
    corpus = CACHE / "sets" / "MuSiQue.corpus"
    if not corpus.is_dir():
        clew("build-corpus", str(passages), "--out", str(corpus))
    clew("index", str(corpus))
    parts = load_parts(corpus, load_encoder(device="cpu"))
    asked = _lines(questions)
    section = Section(
        "Short answers from MuSiQue's passages",
        "python -m tests.benchmarks reading_weights",
        "100 questions, default encoder, no language model. What a span is worth was fitted on half A and on questions "
        "written from triples of passages that support none of the 100; half B was only measured.",
        head=("method", "questions", "n", "exact match", "right among three"),
    )
    trials = list(_written(parts, _lines(passages), asked))
    for method in ("inses", "text-rag"):
        rights = defaultdict[str, list[tuple[bool, bool]]](list)
        engine = load_engine(EngineSpec(corpus, method=method), parts)
        for question in asked:
            half = "A" if in_half_a(question["id"]) else "B"
            wanted = question["answers"]
            shown: Sequence[RetrievedPassage] = ()
            for event in engine.run(AskRequest(question["question"])):
                if isinstance(event, PassagesRetrieved):
                    shown = event.passages[:READ]
                if isinstance(event, AnswerFinal):
                    right = [bool(exact_match(answer.label, wanted)) for answer in event.answers[:3]]
                    rights[half].append((any(right[:1]), any(right)))
            if method == "inses" and half == "A":
                trials += _trial(parts, question["question"], shown, wanted, half=half)
        rights["all"] = rights["A"] + rights["B"]
        for half, own in sorted(rights.items()):
            first, three = (sum(each[place] for each in own) for place in (0, 1))
            section.add(f"`{method}`", half, str(len(own)), f"{first / len(own):.3f} ({first})", str(three))
    print(f"{len(trials)} questions to fit on: {Counter(trial.half for trial in trials)}", flush=True)
    print(_fitted(trials), flush=True)
    for half in ("two steps", "one step", "one step, measured"):
        own_trials = [trial for trial in trials if trial.half == half]
        first = sum(_first_right(trial) for trial in own_trials)
        share = f"{first / max(1, len(own_trials)):.3f} ({first})"
        section.add("written from triples, passages given", half, str(len(own_trials)), share)
    return [section]


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _trial(
    parts: GraphParts,
    question: str,
    shown: Sequence[RetrievedPassage],
    wanted: Sequence[str],
    *,
    weigh: float = 1.0,
    half: str,
) -> list[Trial]:
    """The spans of a question's passages; none where no right one is among them."""
    read = read_passages(parts.passages, question, shown)
    spans = list(read_spans(question, read, weigher(parts.passages), frozenset()))
    names = {span.label: place for place, span in enumerate({span.label: span for span in spans}.values())}
    right = torch.tensor([bool(exact_match(name, wanted)) for name in names], dtype=torch.bool)
    if not right.any():
        return []
    features = torch.tensor([astuple(span.features) for span in spans], dtype=torch.float32)
    return [Trial(features, torch.tensor([names[span.label] for span in spans]), right, weigh, half)]


def _written(
    parts: GraphParts, passages: list[dict[str, Any]], asked: list[dict[str, Any]]
) -> Iterator[Trial]:
    """Questions of two steps, each a triple of another passage, and of one; read there and in the nearest others."""
    drawn = random.Random(0)
    used = {passage for question in asked for passage in question["supporting_passages"]}
    begin = defaultdict[str, list[tuple[int, str, str, str]]](list)
    own = [(place, each) for place, each in enumerate(passages) if each["id"] not in used]
    for place, each in own:
        for head, relation, tail in each["triples"]:
            begin[head.casefold()].append((place, head, relation, tail))
    chains = []
    for place, each in own:
        for head, relation, middle in each["triples"]:
            for other, _, leads, answer in begin.get(middle.casefold(), ()):
                called = passages[other]["title"].casefold() == middle.casefold()
                if other != place and called and answer.casefold() not in each["text"].casefold():
                    chains.append((place, other, head, relation, middle, leads, answer))
    drawn.shuffle(chains)
    seen = Counter[str]()
    for place, other, head, relation, middle, leads, answer in chains:
        seen[middle.casefold()] += 1
        if seen[middle.casefold()] > EACH or sum(min(EACH, count) for count in seen.values()) > WRITTEN:
            continue
        tails = (f"the one that {head} {relation}", f"what {head} {relation}", f"the {relation} of {head}")
        question = f"{_asks(answer, leads, drawn)} {leads} {drawn.choice(tails)}?"
        shown = _with_nearest(parts, question, [place, other])
        yield from _trial(parts, question, shown, [answer], weigh=TWO_STEPS, half="two steps")
    some = [(place, each) for place, each in own if each["triples"]]
    for number, (place, each) in enumerate(drawn.sample(some, min(ALONE, len(some)))):
        head, leads, answer = drawn.choice(each["triples"])
        asks = _asks(answer, leads, drawn)
        forms = (f"{head} {leads}", f"is the {leads} of {head}", f"did {head} {leads}")
        question = f"{asks} {drawn.choice(forms)}?"
        half, weigh = ("one step", ONE_STEP) if number % 2 else ("one step, measured", 0.0)
        shown = _with_nearest(parts, question, [place])
        yield from _trial(parts, question, shown, [answer], weigh=weigh, half=half)


def _with_nearest(parts: GraphParts, question: str, places: Sequence[int]) -> list[RetrievedPassage]:
    """These passages, and the nearest others."""
    scores = parts.passages.dense(question)
    near = [near for near in np.argsort(-scores).tolist() if near not in places][: READ - len(places)]
    table = parts.passages.table
    return [RetrievedPassage(table.passage(each), float(scores[each])) for each in (*places, *near)]


def _asks(answer: str, leads: str, drawn: random.Random) -> str:
    """The question word for an answer."""
    if _YEAR.search(answer):
        return "When"
    if any(letter.isdigit() for letter in answer):
        return "How many"
    if like_person(answer):
        return drawn.choice(["Who", "What"])
    return drawn.choice(["What", "What", "Where"]) if re.search(r"\b(?:in|at|from)$", leads) else "What"


def _first_right(trial: Trial) -> bool:
    """Whether the best span is right, by the weights that the code has."""
    scores = trial.features @ torch.tensor(astuple(Worth()))
    return bool(trial.right[trial.names[scores.argmax()]])


def _fitted(trials: Sequence[Trial]) -> Worth:
    """The weights by which right names are likeliest, pulled to those set by hand; a name is its best span."""
    names = [each.name for each in fields(Worth)]
    by_hand = dict(zip(names, (2 * value for value in astuple(HAND)), strict=True)) | FIXED
    prior = torch.tensor(list(by_hand.values()))
    fixed = torch.tensor([name in FIXED for name in names])
    weights = prior.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([weights], max_iter=60, line_search_fn="strong_wolfe")
    total = sum(trial.weigh for trial in trials)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = PULL * ((weights - prior) ** 2).sum()
        for trial in trials:
            scores = 2 * trial.features @ torch.where(fixed, prior, weights)
            best = torch.full((len(trial.right),), -1e9).scatter_reduce(0, trial.names, scores, "amax")
            missed = torch.logsumexp(best, 0) - torch.logsumexp(best[trial.right], 0)
            value = value + 10 * trial.weigh / total * missed
        value.backward()  # type: ignore[no-untyped-call]  # its library leaves it untyped
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    fitted = torch.where(fixed, prior, weights.detach())
    return Worth(*(round(float(weight), 2) for weight in fitted))
