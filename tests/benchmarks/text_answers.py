"""Answers read from articles: right, wrong and sure, refused; and how well their confidence agrees with being right."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from retrieval.answering.loading import load_encoder, load_parts
from retrieval.answering.parts import Opening
from retrieval.answering.reasoners import make_reasoner
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.answering.text import TextAnswerer, open_answerer
from retrieval.evaluation.answers import compute_exact_match, compute_token_f1
from retrieval.events import AnswerFinal
from retrieval.kg import snapshot as kg
from retrieval.language.question import Question
from retrieval.linking import passage_index
from retrieval.weights.logistic import compute_calibration_error
from tests.benchmarks.report import Section
from tests.benchmarks.sets import clew

COMMAND = "python -m tests.benchmarks text_answers"
HOME = Path(__file__).resolve().parents[1] / "text_answers"
HALVES = ("a", "b")
HIGH = 0.7
"""The confidence from which the pages say "high"."""


@dataclass(frozen=True, slots=True)
class ArticleQuestion:
    """A question over an article.

    Attributes:
        half: settings are chosen on ``a``, figures are reported on ``b``.
        article: name of the file.
        text: the wording.
        answers: spans that are right; none where the article does not answer.
    """

    half: str
    article: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArticleAnswer:
    """The best answer to a question; an empty label where there is none."""

    question: ArticleQuestion
    label: str
    confidence: float
    is_guess: bool

    @property
    def is_right(self) -> bool:
        return bool(self.label) and compute_exact_match(self.label, self.question.answers) == 1.0

    @property
    def is_shown(self) -> bool:
        """Whether an answer is given, and not as a guess."""
        return bool(self.label) and not self.is_guess


def measure(*, show: bool = False) -> list[Section]:
    """Ask all questions over one graph of all articles.

    Args:
        show: print each question of half A that goes wrong.
    """
    with tempfile.TemporaryDirectory() as folder:
        answerer = open_articles(Path(folder) / "corpus")
        answers = [ask_question(answerer, question) for question in read_questions()]
    section = Section(
        "Answers from articles",
        COMMAND,
        "tests/text_answers: 12 articles with questions, a quarter of which the texts do not answer; written before "
        "any was asked. All articles are one graph; `text-rag` without a language model. Settings may be chosen on "
        "half A. *Exact* and *F1*: of answerable questions, the best answer, guesses too. *Sure and wrong*: wrong, and "
        f"not marked as a guess; *high and wrong*: with a confidence of at least {HIGH}. *Refused*: of questions that "
        "the texts do not answer, those with no answer or only guesses; *no answer*: with none at all. *Right and "
        "shown*: right, and not marked as a guess.",
        head=("half", "questions", "exact", "F1", "right and shown", "sure and wrong", "high and wrong", "refused",
              "no answer", "ECE"),
    )  # fmt: skip
    for half in HALVES:
        rows = [answer for answer in answers if answer.question.half == half]
        section.add(half.upper(), *list_figures(rows))
        for row in rows if show and half == HALVES[0] else ():
            print_mistake(row)
    return [section]


def open_articles(corpus: Path) -> TextAnswerer:
    """The answerer of a graph of all articles."""
    clew("build-corpus", *map(str, sorted(HOME.glob("*/*.md"))), "--out", str(corpus))
    snapshot, encoder = kg.open(corpus), load_encoder()
    passage_index.build(snapshot, encoder)
    spec = AnswererSpec(corpus, method="text-rag")
    return open_answerer(Opening(spec, load_parts(snapshot, encoder), make_reasoner("extractive", None), None))


def read_questions() -> list[ArticleQuestion]:
    """The questions of both halves."""
    return [
        ArticleQuestion(half, path.stem, row["question"], tuple(row["answers"]))
        for half in HALVES
        for path in sorted((HOME / half).glob("*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


def ask_question(answerer: TextAnswerer, question: ArticleQuestion) -> ArticleAnswer:
    """The best answer."""
    for event in answerer.run(AskRequest(Question(question.text))):
        if isinstance(event, AnswerFinal) and event.answers:
            best = event.answers[0]
            return ArticleAnswer(question, best.label, best.score, best.guess)
    return ArticleAnswer(question, "", 0.0, is_guess=True)


def list_figures(rows: Sequence[ArticleAnswer]) -> tuple[str, ...]:
    """The cells of a row of the table."""
    answerable = [row for row in rows if row.question.answers]
    others = [row for row in rows if not row.question.answers]
    answered = [row for row in rows if row.label]
    error = compute_calibration_error(
        np.array([row.confidence for row in answered]), np.array([row.is_right for row in answered])
    )
    shares = (
        fmean(row.is_right for row in answerable),
        fmean(compute_token_f1(row.label, row.question.answers) for row in answerable),
        fmean(row.is_right and row.is_shown for row in answerable),
        fmean(row.is_shown and not row.is_right for row in rows),
        fmean(row.is_shown and not row.is_right and row.confidence >= HIGH for row in rows),
        fmean(not row.is_shown for row in others),
        fmean(not row.label for row in others),
        error,
    )
    return str(len(rows)), *(f"{share:.3f}" for share in shares)


def print_mistake(row: ArticleAnswer) -> None:
    """Print a question that went wrong, or whose right answer is a guess."""
    if (row.is_right and row.is_shown) or not (row.question.answers or row.is_shown):
        return
    word = "DOUBTED" if row.is_right else "SURE AND WRONG" if row.is_shown else "wrong"
    print(
        f"{word} {row.confidence:.2f} {row.question.half}/{row.question.article}: {row.question.text}"
        f"\n    want {list(row.question.answers)}\n    got  {row.label!r}",
        flush=True,
    )
