"""Questions with the passage and the span that answers them, as other people wrote them: QAMR, QED and XQuAD.

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
_TIGHT = frozenset([*",.!?:;%)]", "'s", "n't", "'", "'re", "'ve", "'ll", "'d", "'m"])


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the text that answers it, and where."""

    question: str
    text: str
    start: int
    end: int
    source: str
    document: str
    title: str = ""

    @property
    def answer(self) -> str:
        return self.text[self.start : self.end]

    @property
    def set_aside(self) -> bool:
        """Whether its document is measured on and not learned from."""
        return int(hashlib.md5(self.document.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


def read(folder: Path, measured: Sequence[str] = ()) -> list[Example]:
    """All examples of a folder but those whose text is among the passages that are measured on."""
    runs = set[str]().union(*(_runs(text) for text in measured))
    found = [*_qamr(folder), *_xquad(folder), *_qed(folder)]
    return [one for one in found if len(_runs(one.text) & runs) <= _SHARED]


def _runs(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def _written(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """A tokenised sentence as people write it, and where its tokens stand."""
    text, places = "", list[tuple[int, int]]()
    for token in (_BRACKETS.get(each, each) for each in tokens):
        if text and token not in _TIGHT and text[-1] not in "([$":
            text += " "
        places.append((len(text), len(text) + len(token)))
        text += token
    return text, places


def _qamr(folder: Path) -> Iterator[Example]:
    path = folder / "wiki-sentences.tsv"
    if not path.is_file():
        return
    sentences = dict(line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    alike, seen = Counter[tuple[str, int, int]](), set[tuple[str, str]]()
    for part in ("dev", "test"):
        for line in (folder / f"{part}.tsv").read_text(encoding="utf-8").splitlines():
            row = line.split("\t")
            key = (row[0], row[5].strip().lower())
            span = _agreed(row[6:9])
            if span is None or key in seen or row[0] not in sentences:
                continue
            seen.add(key)
            text, places = _written(sentences[row[0]].split(" "))
            start, end = _whole_name(text, places[span[0]][0], places[span[-1]][1])
            alike[row[0], start, end] += 1
            if alike[row[0], start, end] <= _ALIKE:
                yield Example(row[5].strip(), text, start, end, "qamr", row[0])


def _agreed(given: Sequence[str]) -> tuple[int, ...] | None:
    """The words that the writer or a validator marked, where two of the three overlap."""
    marked = [tuple(map(int, one.rpartition(":")[2].split())) for one in given]
    whole = [m for m in marked if m and m[-1] - m[0] + 1 == len(m) <= _LONGEST]
    if len(whole) < 2:
        return None
    best = Counter(whole).most_common(1)[0][0]
    return best if sum(bool(set(best) & set(m)) for m in whole) > 1 else None


def _whole_name(text: str, start: int, end: int) -> tuple[int, int]:
    """The name that an answer is a part of: people mark "Einstein" of "Albert Einstein"."""
    for at, name in find_spans(SpanKind.NAME, text):
        if at <= start and end <= at + len(name) and text[start].isupper():
            return at, at + len(name)
    return start, end


def _xquad(folder: Path) -> Iterator[Example]:
    path = folder / "xquad.en.json"
    if not path.is_file():
        return
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            name = f"x{hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:6]}"
            for asked in paragraph["qas"]:
                answer = asked["answers"][0]
                start = answer["answer_start"]
                end = start + len(answer["text"])
                yield Example(asked["question"], text, start, end, "xquad", name)


def _qed(folder: Path) -> Iterator[Example]:
    path = folder / "qed-dev.jsonlines"
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = [answer for group in row["original_nq_answers"] for answer in group]
        if not answers:
            continue
        answer = min(answers, key=lambda one: one["end"] - one["start"])
        made = Example(
            row["question_text"], row["paragraph_text"], answer["start"], answer["end"], "qed",
            f"q{row['example_id']}", row["title_text"],
        )  # fmt: skip
        if answer["end"] - answer["start"] <= _ANSWER:
            yield _near(made, row["sentence_starts"])


def _near(example: Example, sentences: Sequence[int]) -> Example:
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
