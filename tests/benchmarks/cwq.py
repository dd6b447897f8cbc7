"""ComplexWebQuestions on the Freebase piece: questions of several parts, asked of what learned from simpler ones.

The set is not with the others: ``cwq.json`` beside the piece lists the 3,531 test questions, objects with ``ID``,
``question``, ``compositionality_type``, ``sparql``, ``topic_entity`` (identifiers to names) and one ``answer``.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from retrieval.metrics.bootstrap import compute_intervals
from retrieval.metrics.scores import compute_metrics, score_of_row
from retrieval.questions.files import write_questions
from retrieval.types import QuestionRecord
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew, prepared
from tests.benchmarks.webqsp import trained

#: Questions that nothing was looked at or chosen on, and how many of them are asked.
PART, ASKED = "test", 600
SHOWN = ("hit", "hit_at_1", "macro_f1")
_PATTERN = re.compile(r'(\?\w+|ns:[\w.]+)\s+ns:([\w.]+)\s+(\?\w+|ns:[\w.]+|"[^"]*"(?:@\w+)?)\s*\.?')
_UNLIKE = re.compile(r"FILTER \((\?\w+) != (\?\w+|ns:[\w.]+)\)")
#: Bindings of a query beyond which its answers are not worked out.
_MOST = 20_000

#: Retriever, `by_words` and `decompose` of each row.
FORMS = (
    ("reg-path", "false", "false"),
    ("reg-path", "true", "true"),
    ("reg-path", "true", "false"),
    ("zero-shot", "", "true"),
    ("zero-shot", "", "false"),
)
SWITCHES = {"true": "yes", "false": "no", "": "–"}


def measure() -> list[Section]:
    """Ask what learned WebQSP's relation paths, and the zero-shot retriever, in parts of the question and without."""
    of = prepared("WebQSP")
    asked, taught, piece = (
        found("freebase-piece", name) for name in ("cwq.json", "webqsp_train_relation_paths.jsonl.gz", "triples.tsv.gz")
    )
    if of is None or asked is None or taught is None or piece is None:
        return []
    home = CACHE / "cwq"
    home.mkdir(parents=True, exist_ok=True)
    (CACHE / "webqsp").mkdir(parents=True, exist_ok=True)
    trained(of, taught, CACHE / "webqsp")
    questions, executed = _questions(json.loads(asked.read_text(encoding="utf-8")), Piece.read(piece))
    file = home / "questions.jsonl"
    write_questions(file, questions)
    section = Section(
        "ComplexWebQuestions",
        "python -m tests.benchmarks cwq",
        f"{len(questions)} of the test questions whose answer the piece of Freebase holds, topics linked. `reg-path` "
        "learned from WebQSP's relation paths, whose questions ask for one thing. *words* is `by_words`, which asks "
        "the zero-shot retriever too; *parts* is `decompose`; rows without both are the planner's own, as in ReG. "
        "The set gives one answer a question. Where its query runs on the piece and gives that answer among others "
        f"({len(executed)} questions, shown separately), all of them count as right; otherwise only the one, so "
        "Macro-F1 of all is too low. 95% intervals.",
        head=("retriever", "words", "parts", "questions", *SHOWN, "a question p50"),
    )
    checkpoint = ("--checkpoint", str(CACHE / "webqsp" / "checkpoint"))
    for retriever, words, parts in FORMS:
        out = home / f"{retriever}-{words}-{parts}.json"
        asked = [*checkpoint, "--set", f"by_words={words}"] if words else []
        clew(
            *("evaluate", "--graph", str(of.graph), "--questions", str(file), "--topics", "linked"),
            *(*asked, "--set", f"decompose={parts}", "--out", str(out)),
        )
        report = json.loads(out.read_text(encoding="utf-8"))
        for name, rows in (
            ("all", report["per_question"]),
            ("its query runs", [row for row in report["per_question"] if row["id"] in executed]),
        ):
            how = SWITCHES[words], SWITCHES[parts]
            section.add(retriever, *how, name, *_shown(rows), _p50(report))
    return [section]


def _questions(rows: Sequence[Mapping[str, Any]], piece: Piece) -> tuple[list[QuestionRecord], set[str]]:
    """The questions that are asked, and those whose whole answers are known."""
    names = {mid: name for row in rows for mid, name in row["topic_entity"].items()}
    held = [row for row in rows if piece.named(row["answer"]) is not None]
    held.sort(key=lambda row: hashlib.sha256(row["ID"].encode()).digest()[:4])
    executed = set()
    questions = []
    for row in held[len(held) // 2 :][:ASKED]:
        answer = piece.named(row["answer"])
        assert answer is not None
        gold = piece.answers(row, names)
        if answer in gold:
            executed.add(row["ID"])
        answers = tuple(sorted(gold)) if answer in gold else (answer,)
        topics = tuple(filter(None, map(piece.named, row["topic_entity"].values())))
        questions.append(QuestionRecord(row["ID"], row["question"], topics, answers, split=PART))
    return questions, executed


def _shown(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    scores = [score_of_row(row) for row in rows]
    figures, bounds = compute_metrics(scores), compute_intervals(scores)
    for name in SHOWN:
        low, high = bounds[name]
        yield f"{figures[name]:.3f} ({low:.3f}–{high:.3f})"


def _p50(report: Mapping[str, Any]) -> str:
    return f"{report['latency_ms']['p50']:.0f} ms"


class Piece:
    """The facts of the piece, for the queries of the set.

    Args:
        facts: head, relation, tail.
    """

    def __init__(self, facts: Iterator[tuple[str, str, str]]) -> None:
        self._ahead: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._back: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._names: dict[str, str] = {}
        self._all: set[str] = set()
        for head, relation, tail in facts:
            self._ahead[relation][head].add(tail)
            self._back[relation][tail].add(head)
            for name in (head, tail):
                self._all.add(name)
                self._names.setdefault(name.casefold(), name)

    @classmethod
    def read(cls, path: Path) -> Piece:
        """From a gzipped table."""
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return cls((h, r, t) for h, r, t in (line.rstrip("\n").split("\t") for line in lines))

    def named(self, name: str) -> str | None:
        """The entity of a name, however its letters are written."""
        return self._names.get(name.casefold())

    def answers(self, row: Mapping[str, Any], names: Mapping[str, str]) -> set[str]:
        """What a query of triples gives; nothing where it orders, compares, or names what is not known here."""
        query = row["sparql"]
        if row["compositionality_type"] in ("comparative", "superlative") or re.search("ORDER BY|EXISTS", query):
            return set()
        body = re.sub("#.*", "", query[query.index("{") + 1 : query.rindex("}")])
        known = [
            (self._term(head, names), relation, self._term(tail, names))
            for head, relation, tail in _PATTERN.findall(body)
        ]
        patterns = [(h, r, t) for h, r, t in known if h is not None and t is not None]
        unlike = [(left, self._term(right, names)) for left, right in _UNLIKE.findall(body)]
        return {
            bound["?x"]
            for bound in self._bound(patterns)
            if "?x" in bound and not any(bound.get(left) == bound.get(right or "", right) for left, right in unlike)
        }

    def _bound(self, patterns: list[tuple[str, str, str]]) -> list[dict[str, str]]:
        bounds: list[dict[str, str]] = [{}]
        while patterns:
            fixed = bounds[0]

            def known(pattern: tuple[str, str, str], fixed: Mapping[str, str] = fixed) -> int:
                return sum(not term.startswith("?") or term in fixed for term in (pattern[0], pattern[2]))

            best = max(patterns, key=known)
            if not known(best):
                return []
            patterns.remove(best)
            bounds = [further for bound in bounds for further in self._matched(best, bound)]
            if not bounds or len(bounds) > _MOST:
                return []
        return bounds

    def _matched(self, pattern: tuple[str, str, str], bound: dict[str, str]) -> Iterator[dict[str, str]]:
        head, relation, tail = pattern
        first, last = bound.get(head, head), bound.get(tail, tail)
        if not first.startswith("?") and not last.startswith("?"):
            if last in self._ahead[relation].get(first, ()):
                yield bound
        elif not first.startswith("?"):
            yield from ({**bound, tail: each} for each in self._ahead[relation].get(first, ()))
        else:
            yield from ({**bound, head: each} for each in self._back[relation].get(last, ()))

    def _term(self, text: str, names: Mapping[str, str]) -> str | None:
        if text.startswith("?"):
            return text
        if not text.startswith("ns:"):
            return text.split('"')[1]
        mid = text.removeprefix("ns:")
        return mid if mid in self._all else self.named(names.get(mid, ""))
