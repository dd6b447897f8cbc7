"""Questions of strangers over tables of strangers: WikiTableQuestions, each table uploaded alone and asked."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.errors import ClewError
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.values import parse
from retrieval.language.question import Question
from retrieval.linking.encoder import Encoder
from retrieval.methods.registry import DEFAULT
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.formatting import format_result
from retrieval.programs.scoring.candidates import Candidate
from retrieval.types import QuestionRecord
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks tables --data CHECKOUT"
#: Tables of a half, and questions asked of them in all.
_TABLES, _ASKED = 60, {"developed": 250, "measured": 250, "pristine": 200}
#: A confident answer, a guess, and bins of calibration.
_SURE, _GUESS, _BINS = 0.5, 0.3, 10
_SHOWN = 60
Half = Literal["developed", "measured", "pristine"]
HALVES: tuple[Half, ...] = ("developed", "measured", "pristine")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the set, its table and its right answers."""

    id: str
    question: str
    table: str
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """How sure an answer was, and whether it is right."""

    sure: float
    right: bool
    seconds: float


def measure(data: Sequence[str]) -> list[Section]:
    """Ask the halves of the set, by the program reader alone and by the whole engine without a checkpoint.

    Args:
        data: path of a checkout of github.com/ppasupat/WikiTableQuestions; none skips it.
    """
    if not data:
        print("skipped: --data names no checkout of WikiTableQuestions", flush=True)
        return []
    section = Section(
        "WikiTableQuestions",
        COMMAND,
        "WikiTableQuestions (github.com/ppasupat/WikiTableQuestions, CC BY-SA 4.0): tables of Wikipedia as CSV, "
        "each uploaded alone under the title of its page; no training, no checkpoint, no language model. Developed: "
        "tables of the training split whose hash is even, looked at during development. Measured: odd ones, never "
        "looked at. Pristine: of the test split. Compared as sets of names, numbers and dates. Sure: at least 0.5; "
        "told: less than 0.3, a guess or not understood. ECE over ten bins.",
        head=(
            "half",
            "by",
            "questions",
            "exact set",
            "sure and right",
            "sure and wrong",
            "told",
            "ECE",
            "p50 ms",
        ),
    )
    encoder = load_encoder()
    for half in HALVES:
        asked = draw(Path(data[0]), half)
        with TemporaryDirectory() as folder:
            graphs = dict(_built(Path(data[0]), asked, Path(folder)))
            for by in ("programs", "engine"):
                rows = list(_asked(asked, graphs, encoder, whole=by == "engine"))
                section.add(half, by, f"{len(rows)}", *_figures(rows))
                print(half, by, *_figures(rows), flush=True)
    return [section]


def draw(checkout: Path, half: Half) -> list[Asked]:
    """Questions of a half: of the first tables by the hash of their path, the first by the hash of their id."""
    name = "pristine-unseen-tables" if half == "pristine" else "training"
    by_table: dict[str, list[Asked]] = defaultdict(list)
    for line in (checkout / "data" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        own, question, table, answers = line.split("\t")
        right = tuple(_unescaped(answer) for answer in answers.split("|"))
        by_table[table].append(Asked(own, _unescaped(question), table, right))
    odd = {"developed": 0, "measured": 1}.get(half)
    tables = [table for table in sorted(by_table, key=_hash) if odd is None or _hash(table) % 2 == odd]
    each = -(-_ASKED[half] // _TABLES)
    found = [one for table in tables[:_TABLES] for one in sorted(by_table[table], key=lambda own: _hash(own.id))[:each]]
    return found[: _ASKED[half]]


def is_right(right: Sequence[str], given: Sequence[str]) -> bool:
    """Whether two sets of answers are the same by the rules of the set: names, numbers and dates."""
    one, other = list(dict.fromkeys(map(_plain, right))), list(dict.fromkeys(map(_plain, given)))
    return len(one) == len(other) and all(any(_same(a, b) for b in other) for a in one)


def _asked(asked: Sequence[Asked], graphs: dict[str, Path], encoder: Encoder, *, whole: bool) -> Iterator[Answered]:
    by_table: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        by_table[one.table].append(one)
    for table, some in by_table.items():
        if table not in graphs:
            yield from (Answered(0.0, right=False, seconds=0.0) for _ in some)
        elif whole:
            yield from _by_engine(some, graphs[table], encoder)
        else:
            yield from _by_programs(some, graphs[table], encoder)


def _by_programs(asked: Sequence[Asked], graph: Path, encoder: Encoder) -> Iterator[Answered]:
    snapshot = snapshots.open(graph)
    reader = ProgramReader(snapshot, encoder.encode, PROGRAMS)

    def said(candidate: Candidate) -> list[str]:
        if isinstance(candidate.result, np.ndarray):
            return [snapshot.get_entity_label(node) for node in candidate.result[:_SHOWN].tolist()]
        text = format_result(reader.parser.columns, candidate.program, candidate.result)
        return [text] if text else []

    for one in asked:
        began = time.perf_counter()
        found = reader.read(Question(one.question))
        seconds = time.perf_counter() - began
        right = found is not None and is_right(one.right, said(found.best))
        yield Answered(found.confidence if found else 0.0, right, seconds)


def _by_engine(asked: Sequence[Asked], graph: Path, encoder: Encoder) -> Iterator[Answered]:
    answerer = load_answerer(AnswererSpec(graph, None, DEFAULT), load_parts(snapshots.open(graph), encoder))
    questions = [QuestionRecord(id=one.id, question=one.question) for one in asked]
    outcomes = evaluate_answerer(answerer, questions, budget=50, seed=0, topics="linked").outcomes
    for one, outcome in zip(asked, outcomes, strict=True):
        sure = outcome.predicted[0][1] if outcome.predicted else 0.0
        right = is_right(one.right, [label for label, _ in outcome.predicted])
        yield Answered(sure, right, outcome.latency_ms / 1000)


def _built(checkout: Path, asked: Sequence[Asked], folder: Path) -> Iterator[tuple[str, Path]]:
    """The graph of each table, read as an upload is; those that cannot be read are left out."""
    for table in dict.fromkeys(one.table for one in asked):
        home = folder / table.replace("/", "-")
        home.mkdir()
        page = checkout / table.replace("csv", "page", 1).replace("-csv", "-page").replace(".csv", ".json")
        title = json.loads(page.read_text(encoding="utf-8"))["title"] if page.is_file() else "table"
        name = re.sub(r"[^\w()–,-]+", "-", title).strip("-")[:80]
        file = home / f"{name}.csv"
        text = (checkout / table).read_text(encoding="utf-8")
        with file.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(csv.reader(io.StringIO(text), escapechar="\\", doublequote=False))
        try:
            build_from_files(file, home / "graph", problems=lambda _: None)
        except ClewError as error:
            print(f"not read: {file.name}: {error}", flush=True)
        else:
            yield table, home / "graph"


def _figures(rows: Sequence[Answered]) -> tuple[str, ...]:
    sure, right = np.array([row.sure for row in rows]), np.array([row.right for row in rows])
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    apart = [abs(sure[own].sum() - right[own].sum()) for own in (bins == each for each in range(_BINS))]
    shares = (right, (sure >= _SURE) & right, (sure >= _SURE) & ~right, sure < _GUESS)
    p50 = 1000 * float(np.median([row.seconds for row in rows]))
    return (*(f"{share.mean():.3f}" for share in shares), f"{sum(apart) / len(rows):.3f}", f"{p50:.0f}")


def _plain(text: str) -> str:
    """A name without case, accents, footnotes and what stands in brackets behind it."""
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    text = re.sub("[‘’´`]", "'", re.sub("[“”]", '"', re.sub("[‐‑‒–—−]", "-", text)))
    before = None
    while before != text:
        before = text
        text = re.sub(r"((?<!^)\[[^\]]*\]|\[\d+\]|[•♦†‡*#+])*$", "", text.strip())
        text = re.sub(r"(?<!^)( \([^)]*\))*$", "", text.strip())
        text = re.sub(r'^"([^"]*)"$', r"\1", text.strip())
    return re.sub(r"\s+", " ", text.removesuffix(".")).lower().strip()


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    left, right = parse(one), parse(other)
    if left is None or right is None or (left.kind, left.month_day) != (right.kind, right.month_day):
        return False
    pairs = ((left.value / left.factor, right.value / right.factor), (left.value, right.value))
    return left.month_day is not None or any(abs(a - b) < 1e-6 * max(1.0, abs(a)) for a, b in pairs)


def _unescaped(text: str) -> str:
    return text.replace(r"\n", "\n").replace(r"\p", "|").replace("\\\\", "\\")


def _hash(text: str) -> int:
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(), 16)
