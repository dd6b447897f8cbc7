"""Questions with the passage and the span that answers them, as people wrote them: QAMR, QED and XQuAD.

A folder holds what their repositories have: ``dev.tsv`` and ``test.tsv`` of QAMR's filtered data with
``wiki-sentences.tsv``, ``qed-dev.jsonlines``, ``xquad.en.json``; what is missing is left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.reasoning.spans import SpanKind, find_spans

#: Of a question of QAMR: words of an answer at most, questions of one answer at most.
_LONGEST, _ALIKE = 8, 3
#: Characters of QED's answers and of what is kept of its paragraphs, at most.
_ANSWER, _PARAGRAPH = 60, 800
#: A passage that shares so many runs of eight words with one that is measured on is left out.
_RUN, _SHARED = 8, 3
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"', "-LSB-": "[", "-RSB-": "]"}
_TIGHT = re.compile(r"[,.!?:;%)\]]|'|'(s|re|ve|ll|d|m)|n't")


@dataclass(frozen=True, slots=True)
class ReadingExample:
    """A question, the text that answers it, and where."""

    wording: str
    text: str
    start: int
    end: int
    source: str
    document: str
    title: str = ""

    @property
    def answer(self) -> str:
        """The words of the span."""
        return self.text[self.start : self.end]

    @property
    def is_held_out(self) -> bool:
        """Whether its document is measured on and not learned from."""
        return int(hashlib.md5(self.document.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


def read_examples(folder: Path, measured: Sequence[str] = ()) -> list[ReadingExample]:
    """All examples of a folder except those whose text is among the passages that are measured on."""
    runs = set[str]().union(*map(list_runs, measured))
    examples = [*_read_qamr(folder), *_read_xquad(folder), *_read_qed(folder)]
    return [example for example in examples if len(list_runs(example.text) & runs) <= _SHARED]


def list_runs(text: str) -> set[str]:
    """List the runs of eight words of a text, in lower case."""
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def _detokenize(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """A tokenised sentence as people write it, and where its tokens stand."""
    text, places = "", list[tuple[int, int]]()
    for token in (_BRACKETS.get(token, token) for token in tokens):
        if text and not _TIGHT.fullmatch(token) and text[-1] not in "([$":
            text += " "
        places.append((len(text), len(text) + len(token)))
        text += token
    return text, places


def _read_qamr(folder: Path) -> Iterator[ReadingExample]:
    path = folder / "wiki-sentences.tsv"
    if not path.is_file():
        return
    sentences = dict(line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    alike, seen = Counter[tuple[str, int, int]](), set[tuple[str, str]]()
    for part in ("dev", "test"):
        for line in (folder / f"{part}.tsv").read_text(encoding="utf-8").splitlines():
            row = line.split("\t")
            key = (row[0], row[5].strip().lower())
            span = _find_agreed_words(row[6:9])
            if span is None or key in seen or row[0] not in sentences:
                continue
            seen.add(key)
            text, places = _detokenize(sentences[row[0]].split(" "))
            start, end = _extend_to_name(text, places[span[0]][0], places[span[-1]][1])
            alike[row[0], start, end] += 1
            if alike[row[0], start, end] <= _ALIKE:
                yield ReadingExample(row[5].strip(), text, start, end, "qamr", row[0])


def _find_agreed_words(marks: Sequence[str]) -> tuple[int, ...] | None:
    """The words that the writer or a validator marked, where two of the three overlap."""
    spans = [tuple(map(int, mark.rpartition(":")[2].split())) for mark in marks]
    unbroken = [span for span in spans if span and span[-1] - span[0] + 1 == len(span) <= _LONGEST]
    if len(unbroken) < 2:
        return None
    best = Counter(unbroken).most_common(1)[0][0]
    return best if sum(bool(set(best) & set(span)) for span in unbroken) > 1 else None


def _extend_to_name(text: str, start: int, end: int) -> tuple[int, int]:
    """The name that an answer is a part of: people mark "Einstein" of "Albert Einstein"."""
    for first, name in find_spans(SpanKind.NAME, text):
        if first <= start and end <= first + len(name) and text[start].isupper():
            return first, first + len(name)
    return start, end


def _read_xquad(folder: Path) -> Iterator[ReadingExample]:
    path = folder / "xquad.en.json"
    if not path.is_file():
        return
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            name = f"x{hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:6]}"
            for row in paragraph["qas"]:
                answer = row["answers"][0]
                start = answer["answer_start"]
                end = start + len(answer["text"])
                yield ReadingExample(row["question"], text, start, end, "xquad", name)


def _read_qed(folder: Path) -> Iterator[ReadingExample]:
    path = folder / "qed-dev.jsonlines"
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = [answer for group in row["original_nq_answers"] for answer in group]
        if not answers:
            continue
        answer = min(answers, key=lambda span: span["end"] - span["start"])
        made = ReadingExample(
            row["question_text"], row["paragraph_text"], answer["start"], answer["end"], "qed",
            f"q{row['example_id']}", row["title_text"],
        )  # fmt: skip
        if answer["end"] - answer["start"] <= _ANSWER:
            yield _shorten(made, row["sentence_starts"])


def _shorten(example: ReadingExample, sentences: Sequence[int]) -> ReadingExample:
    """The sentences around the answer, as many as a passage of ours holds."""
    bounds = sorted({0, *sentences, len(example.text)})
    first = max(i for i, begin in enumerate(bounds[:-1]) if begin <= example.start)
    last = next(i for i, end in enumerate(bounds) if end >= example.end)
    grown = True
    while grown:
        grown = False
        if first > 0 and bounds[last] - bounds[first - 1] <= _PARAGRAPH:
            first, grown = first - 1, True
        if last + 1 < len(bounds) and bounds[last + 1] - bounds[first] <= _PARAGRAPH:
            last, grown = last + 1, True
    begin = bounds[first]
    text = example.text[begin : bounds[last]]
    return replace(example, text=text, start=example.start - begin, end=example.end - begin)
