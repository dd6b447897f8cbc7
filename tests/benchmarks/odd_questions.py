"""Processor seconds of questions of 2,000 odd characters, each answered untrained on the demo graph."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import chain, cycle
from pathlib import Path

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.demo import FACTS
from retrieval.events import AnswerFinal
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.snapshot import Snapshot
from retrieval.language.question import Question
from retrieval.limits import QUESTION_LIMIT
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks odd_questions"
OPERATORS = "how many, the largest, not in, more than, after 1970, between 3 and 7, average, either or both, except "


def write_questions(snapshot: Snapshot, seed: int = 0) -> dict[str, str]:
    """Write one question of the greatest length for each kind of odd input."""
    draw = random.Random(seed)
    names = [snapshot.get_entity_label(entity) for entity in range(snapshot.num_entities)]
    draw.shuffle(names)
    relations = [snapshot.get_relation_label(relation) for relation in range(snapshot.num_relations)]

    def letters(alphabet: str, least: int, most: int) -> Iterator[str]:
        while True:
            yield "".join(draw.choices(alphabet, k=draw.randint(least, most)))

    kinds = {
        "punctuation": "".join(draw.choices("?!.,;:-()[]\"'", k=QUESTION_LIMIT)),
        "spaced punctuation": _fill(letters("?!.,;:-()[]\"'", 1, 2)),
        "one letter": "a" * QUESTION_LIMIT,
        "a word of the graph": "capital " * QUESTION_LIMIT,
        "a common word": "of " * QUESTION_LIMIT,
        "a name": "France " * QUESTION_LIMIT,
        "names": _fill(names),
        "names with commas": _fill(f"{name}," for name in names),
        "relations": _fill(relations * QUESTION_LIMIT),
        "relations and names": _fill(chain.from_iterable(zip(names, cycle(relations), strict=False))),
        "unknown words": _fill(letters("abcdefghijklmnopqrstuvwxyz", 3, 9)),
        "capitalised unknown words": _fill(word.title() for word in letters("abcdefghijklmnopqrst", 3, 9)),
        "numbers": _fill(letters("0123456789", 1, 6)),
        "years": _fill(str(1900 + year % 120) for year in range(QUESTION_LIMIT)),
        "operators": OPERATORS * QUESTION_LIMIT,
        "a question again and again": "What is the capital of France? " * QUESTION_LIMIT,
        "nested phrases": "Which are the capitals of the countries that border " + "the country of the city of " * 99,
        "emoji": _fill(letters("😀🎉🚀🌍", 1, 4)),
        "combining signs": "e\u0301\u0301\u0301" * QUESTION_LIMIT,
    }  # fmt: skip
    return {kind: text[:QUESTION_LIMIT] for kind, text in kinds.items()}


def _fill(words: Iterable[str]) -> str:
    """Join words until the limit is reached."""
    text: list[str] = []
    size = 0
    for word in words:
        text.append(word)
        size += len(word) + 1
        if size > QUESTION_LIMIT:
            break
    return " ".join(text)


def open_demo(folder: Path) -> Answerer:
    """Build the demo graph and open its default engine without a checkpoint."""
    build_from_files(FACTS, folder, problems=lambda _: None)
    return load_answerer(AnswererSpec(folder), load_parts(folder, load_encoder()))


def ask(answerer: Answerer, question: str) -> tuple[float, str]:
    """Answer a question; the processor seconds of all threads, and how it ended."""
    began = time.process_time()
    last = list(answerer.run(AskRequest(Question(question))))[-1]
    seconds = time.process_time() - began
    if isinstance(last, AnswerFinal):
        return seconds, "answered" if last.no_answer is None else last.no_answer.reason.value
    return seconds, last.type


def measure() -> list[Section]:
    """Ask each question once, after one ordinary question that warms the engine."""
    section = Section(
        "Odd questions",
        COMMAND,
        f"Questions of {QUESTION_LIMIT:,} characters on the demo graph, untrained, in one process.",
        theme="Load and faults",
        head=("kind", "processor seconds", "end"),
    )
    with tempfile.TemporaryDirectory() as folder:
        answerer = open_demo(Path(folder) / "graph")
        ask(answerer, "What is the capital of France?")
        for kind, question in write_questions(answerer.snapshot).items():
            seconds, end = ask(answerer, question)
            print(f"{kind:30} {seconds:6.2f} {end}", flush=True)
            section.add(kind, f"{seconds:.2f}", end)
    return [section]
