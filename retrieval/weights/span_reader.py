"""Builds ``reader.safetensors``: where the answer to a question stands in a passage.

The reader learns from four fifths of the documents and is measured on the others.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval.evaluation.answers import compute_exact_match, compute_token_f1
from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.language.question import Question
from retrieval.linking.stems import extract_stems
from retrieval.pretrained import READER
from retrieval.reasoning.likeliest import ReadPassage
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.reading import find_answer_spans
from retrieval.reasoning.span_reader import SpanReader
from retrieval.results import Citation
from retrieval.types import Passage, RetrievedPassage
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import MUSIQUE, READING
from retrieval.weights.reader_training import TrainableReader, train_reader
from retrieval.weights.reading_examples import ReadingExample, read_examples

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData

#: Questions that are measured, and passages that are read for each.
_MEASURED, _READ = 160, 5


@dataclass(slots=True)
class ReadingTask:
    """What the reader learns from and is measured on.

    Attributes:
        encoder: the reader stands beside it.
        examples: all questions.
        trained: the readers that were trained on the examples, by seed.
    """

    encoder: Encoder
    examples: list[ReadingExample]
    trained: dict[int, TrainableReader] = field(default_factory=dict)

    def train(self, seed: int) -> TrainableReader:
        """The reader of the examples that are not held out."""
        if seed not in self.trained:
            learned = [example for example in self.examples if not example.is_held_out]
            self.trained[seed] = train_reader(self.encoder, learned, seed)
        return self.trained[seed]


class SpanReaderBuilder(WeightBuilder[ReadingTask, TrainableReader]):
    """Builds the reader of answers in passages."""

    name: ClassVar[str] = "reader"
    file: ClassVar[Path] = READER
    about: ClassVar[str] = "finds where the answer to a question stands in a passage"
    sources = (READING, MUSIQUE)

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> ReadingTask:
        """Read the questions, without those over texts that are measured on elsewhere."""
        del seed
        return ReadingTask(encoder, read_examples(data.public / "reading", _read_measured_texts(data)))

    def build(self, examples: ReadingTask, seed: int) -> TrainableReader:
        """Train the reader; held-out documents stay unseen, so that the figures are those of these weights."""
        return examples.train(seed)

    def evaluate(self, examples: ReadingTask, seed: int) -> HeldOutFigures:
        """Ask questions over held-out documents, over all passages of their set."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / READER.name
            examples.train(seed).save(file)
            return measure_reader(examples.encoder, file, examples.examples)

    def write(self, built: TrainableReader, out: Path) -> None:
        """Write what was trained beside the encoder."""
        built.save(out)


def _read_measured_texts(data: TrainingData) -> list[str]:
    path = data.find(*MUSIQUE.paths)
    if path is None:
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def measure_reader(encoder: Encoder, weights: Path, examples: Sequence[ReadingExample]) -> HeldOutFigures:
    """Figures of a reader, and of reading by rules, on held-out questions of XQuAD and QED.

    Args:
        encoder: that the reader was trained beside.
        weights: file of the reader.
        examples: all questions; their passages are searched.
    """
    reader = SpanReader(encoder, weights)
    paragraphs = [example for example in examples if example.source != "qamr"]
    texts = list(dict.fromkeys((example.title, example.text) for example in paragraphs))
    vectors = encoder.encode([f"{title}. {text}" if title else text for title, text in texts], rough=True)
    weigh = _weigh_words([text for _, text in texts])
    held_out = [example for example in paragraphs if example.is_held_out]
    random.Random(1).shuffle(held_out)
    figures: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for example in held_out[:_MEASURED]:
        vector = encoder.encode([example.wording])[0]
        near = np.argsort(-(vectors @ vector))[:_READ].tolist()
        passages = [_build_passage(encoder, i, texts[i], vector, float(vectors[i] @ vector)) for i in near]
        there = float(any(texts[i][1] == example.text for i in near))
        for how, used in (("rules", None), ("reader", reader)):
            labels = [span.label for span in find_answer_spans(Question(example.wording), passages, weigh, reader=used)]
            figures[f"{example.source}, {how}"].append((there, *_compute_figures(labels, example.answer)))
    names = ("answer retrieved", "exact match", "F1", "right among three")
    rows = [
        FigureRow(group, {"questions": len(rows)} | dict(zip(names, map(fmean, zip(*rows, strict=True)), strict=True)))
        for group, rows in sorted(figures.items())
    ]
    return HeldOutFigures(
        "Questions of XQuAD and QED whose documents the reader did not learn from, asked over all passages of both: "
        f"the {_READ} nearest are read by rules, or by the reader. *right among three*: one of the best three.",
        tuple(rows),
    )


def _compute_figures(labels: Sequence[str], answer: str) -> tuple[float, float, float]:
    first = labels[0] if labels else ""
    among = max((compute_exact_match(label, [answer]) for label in labels[:3]), default=0.0)
    return compute_exact_match(first, [answer]), compute_token_f1(first, [answer]), among


def _weigh_words(texts: Sequence[str]) -> Callable[[Sequence[str]], dict[str, float]]:
    """The share of each word of a question in the rarity of all."""
    counts = Counter(word for text in texts for word in set(extract_stems(text)))

    def weigh(words: Sequence[str]) -> dict[str, float]:
        rarity = {word: math.log((len(texts) + 1) / (counts[word] + 1)) for word in words}
        total = sum(rarity.values()) or 1.0
        return {word: value / total for word, value in rarity.items()}

    return weigh


def _build_passage(
    encoder: Encoder, number: int, shown: tuple[str, str], vector: np.ndarray, score: float
) -> ReadPassage:
    title, text = shown
    places = split_sentences(text)
    scores = encoder.encode([text[start:end] for start, end in places]) @ vector if places else np.zeros(0)
    sentences = [
        Sentence(Citation(number, start, end), text[start:end], float(cosine))
        for (start, end), cosine in zip(places, scores.tolist(), strict=True)
    ]
    return ReadPassage(RetrievedPassage(Passage(number, str(number), title, text), score), sentences)
