"""Builds ``confidence.json``: how likely an answer that was read from passages is right.

Questions are asked over all passages of their set. Those that the passages do not answer count half: they are as many
as the others there, and people ask fewer of them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from retrieval import thresholds
from retrieval.evaluation.answers import compute_exact_match
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import passage_index
from retrieval.linking.passage_index import PassageIndex
from retrieval.pretrained import CONFIDENCE
from retrieval.reasoning.answer_confidence import FORMS, AnswerConfidence, compute_sentence_signs, compute_span_signs
from retrieval.reasoning.decomposition import Decomposer
from retrieval.reasoning.reading import find_answer_spans, make_weigher, read_passages
from retrieval.reasoning.span_reader import SpanReader, get_reader
from retrieval.types import Passage, RetrievedPassage
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import ARTICLES, MUSIQUE_QUESTIONS, READING, UNANSWERABLE_READING
from retrieval.weights.logistic import assign_fold, compute_calibration_error, fit_logistic
from retrieval.weights.reading_examples import list_runs, read_examples

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData

_ASKED, _PARAGRAPHS, _READ, _SHARED, _FOLDS, _RARE = 400, 20, 5, 3, 5, 20
_RIDGE = 0.003
_UNANSWERABLE = 0.5
"""Weight of a question that the passages do not answer."""


@dataclass(frozen=True, slots=True)
class PassageQuestion:
    """A question over passages.

    Attributes:
        text: the wording.
        answers: right spans; none where the passages do not answer.
        document: what is left out together.
    """

    text: str
    answers: tuple[str, ...]
    document: str


@dataclass(frozen=True, slots=True)
class SignedAnswer:
    """The best answer to a question: how it was read, its signs, and whether it is right."""

    form: str
    signs: Mapping[str, float]
    is_right: bool
    question: PassageQuestion

    @property
    def weight(self) -> float:
        """How much it counts."""
        return 1.0 if self.question.answers else _UNANSWERABLE


class AnswerConfidenceBuilder(WeightBuilder[list[SignedAnswer], AnswerConfidence]):
    """Builds the models of confidence in answers from passages."""

    name: ClassVar[str] = "confidence"
    file: ClassVar[Path] = CONFIDENCE
    about: ClassVar[str] = "says how likely an answer that was read from passages is right"
    sources = (ARTICLES, UNANSWERABLE_READING, MUSIQUE_QUESTIONS, READING)

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> list[SignedAnswer]:
        """Ask the questions, and keep the signs of what is answered."""
        reader = get_reader(encoder)
        assert reader is not None, "builders use the encoder that comes with Clew"
        answers: list[SignedAnswer] = []
        for passages, questions in _read_sets(data, seed):
            with tempfile.TemporaryDirectory() as folder:
                table = TripleTable.from_facts([], passages=passages)
                snapshot = build_snapshot(table, Path(folder) / "passages")
                passage_index.build(snapshot, encoder)
                index = PassageIndex.open(snapshot, encoder)
                for question in questions:
                    answers += answer_question(index, reader, question)
        return answers

    def build(self, examples: list[SignedAnswer], seed: int) -> AnswerConfidence:
        """Fit one model for each form of answer."""
        del seed
        return fit_confidence(examples)

    def evaluate(self, examples: list[SignedAnswer], seed: int) -> HeldOutFigures:
        """Fit without a fifth of the documents, and measure on those."""
        del seed
        predicted: list[tuple[SignedAnswer, float]] = []
        for fold in range(_FOLDS):
            model = fit_confidence([each for each in examples if assign_fold(each.question.document, _FOLDS) != fold])
            predicted += [
                (each, model.compute_probability(each.form, each.signs))  # type: ignore[arg-type]
                for each in examples
                if assign_fold(each.question.document, _FOLDS) == fold
            ]
        rows = tuple(
            FigureRow(form, _list_figures([pair for pair in predicted if pair[0].form == form])) for form in FORMS
        )
        return HeldOutFigures(
            f"Fitted without the articles that are measured on, in {_FOLDS} parts. *shown*: with a confidence of at "
            f"least {thresholds.GUESS}. *recognised*: of questions that the passages do not answer, those that are not "
            "shown.",
            rows,
        )

    def write(self, built: AnswerConfidence, out: Path) -> None:
        """Write the weights as JSON."""
        built.save(out)


def fit_confidence(examples: Sequence[SignedAnswer]) -> AnswerConfidence:
    """Fit a logistic model for each form of answer."""
    weights: dict[str, dict[str, float]] = {}
    for form in FORMS:
        rows = [each for each in examples if each.form == form]
        weights[form] = fit_logistic(
            [each.signs for each in rows],
            [each.is_right for each in rows],
            np.array([each.weight for each in rows]),
            rare=_RARE,
            ridge=_RIDGE,
        )
    return AnswerConfidence(weights)


def _list_figures(predicted: Sequence[tuple[SignedAnswer, float]]) -> dict[str, float]:
    right = np.array([each.is_right for each, _ in predicted])
    weight = np.array([each.weight for each, _ in predicted])
    shown = np.array([probability >= thresholds.GUESS for _, probability in predicted])
    lacking = np.array([not each.question.answers for each, _ in predicted])
    probabilities = np.array([probability for _, probability in predicted])
    return {
        "questions": len(predicted),
        "unanswerable": int(lacking.sum()),
        "right": float(right[~lacking].mean()),
        "right and shown": float((right & shown)[~lacking].mean()),
        "wrong and shown": float(((~right & shown) * weight).sum() / weight.sum()),
        "recognised": float((~shown)[lacking].mean()),
        "ECE": compute_calibration_error(probabilities, right),
    }


def answer_question(index: PassageIndex, reader: SpanReader, question: PassageQuestion) -> Iterator[SignedAnswer]:
    """Answer a question in each form: by the reader with its steps, by rules, and with the nearest sentence."""
    query = Question(question.text)
    results = index.search(query.text, _READ)
    read = read_passages(index, query, [RetrievedPassage(index.table.get_passage(i), score) for i, score in results])
    weigh, decomposer = make_weigher(index), Decomposer(index, reader)
    steps = decomposer.ask_descriptions(query)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            ways = end.value
            break

    def is_right(label: str) -> bool:
        return compute_exact_match(label, question.answers) == 1.0

    spans = find_answer_spans(
        query, read, weigh, reader=reader, further=lambda plain: decomposer.find_step_answers(ways, plain)
    )
    if spans:
        signs = compute_span_signs(query, spans, read, weigh)
        yield SignedAnswer("reader", signs, is_right(spans[0].label), question)
    if ruled := find_answer_spans(query, read, weigh):
        signs = compute_span_signs(query, ruled, read, weigh)
        yield SignedAnswer("rules", signs, is_right(ruled[0].label), question)
    sentences = [sentence for each in read for sentence in each.sentences]
    if sentences:
        nearest = max(sentences, key=lambda sentence: sentence.score)
        answers = any(answer in nearest.text for answer in question.answers)
        yield SignedAnswer("sentence", compute_sentence_signs(query, nearest, read, weigh), answers, question)


def _read_sets(data: TrainingData, seed: int) -> Iterator[tuple[list[Passage], list[PassageQuestion]]]:
    """Passages with the questions that are asked over them."""
    yield from _read_articles(data.own / "text_answers" / "a")
    yield _read_squad(data, seed)
    if (files := [data.find(path) for path in MUSIQUE_QUESTIONS.paths]) and all(files):
        rows, questions = (_read_lines(path) for path in files if path is not None)
        yield (
            [Passage(i, str(i), row["title"], row["text"]) for i, row in enumerate(rows)],
            [
                PassageQuestion(row["question"], tuple(row["answers"]), row["id"])
                for row in questions
                if hashlib.sha256(f"0:{row['id']}".encode()).digest()[0] < 128
            ],
        )


def _read_articles(folder: Path) -> Iterator[tuple[list[Passage], list[PassageQuestion]]]:
    """Articles of this repository as one set; nothing where there are none."""
    passages, questions = list[Passage](), list[PassageQuestion]()
    for path in sorted(folder.glob("*.md")):
        title, *blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
        for text in (block for block in blocks if not block.startswith("#")):
            passages.append(Passage(len(passages), str(len(passages)), title.lstrip("# "), text))
        for line in path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            questions.append(PassageQuestion(row["question"], tuple(row["answers"]), path.stem))
    if passages:
        yield passages, questions


def _read_squad(data: TrainingData, seed: int) -> tuple[list[Passage], list[PassageQuestion]]:
    """Paragraphs of SQuAD 2.0, and questions of those that the reader has not learned from."""
    learned = set[str]().union(*(list_runs(example.text) for example in read_examples(data.public / "reading")))
    path = data.find(*UNANSWERABLE_READING.paths)
    assert path is not None, "required"
    passages: list[Passage] = []
    questions: list[PassageQuestion] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"][:_PARAGRAPHS]:
            number, text = len(passages), paragraph["context"]
            passages.append(Passage(number, str(number), article["title"].replace("_", " "), text))
            if len(list_runs(text) & learned) > _SHARED:
                continue  # the reader has seen it
            for row in paragraph["qas"]:
                answers = tuple(dict.fromkeys(answer["text"] for answer in row["answers"]))
                questions.append(PassageQuestion(row["question"], answers, article["title"]))
    random.Random(seed).shuffle(questions)
    return passages, questions[:_ASKED]


def _read_lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
