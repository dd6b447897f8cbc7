"""Text: which supporting passages of MuSiQue are found, on the half that settings were chosen on and on the other."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from statistics import fmean

from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import clew

METRICS = ("passage_recall_at_2", "passage_recall_at_5")


def measure() -> list[Section]:
    """Build the corpus, ask all questions, and show both halves."""
    passages, questions = (found("text", f"musique_{name}.jsonl.gz") for name in ("passages", "questions"))
    if passages is None or questions is None:
        return []
    section = Section(
        "text-rag on MuSiQue",
        "python -m tests.benchmarks text",
        "1,890 passages, 100 questions with their supporting passages, default encoder, no language model. Settings "
        "were chosen on half A (docs/text.md).",
        head=("questions", "n", *METRICS, "a question, p50 / p95"),
    )
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        corpus, asked, out = home / "corpus", home / "questions.jsonl", home / "report.json"
        clew("build-corpus", str(passages), "--out", str(corpus))
        clew("import-questions", str(questions), "--format", "jsonl", "--out", str(asked))
        clew(
            *("evaluate", "--method", "text-rag", "--corpus", str(corpus)),
            *("--questions", str(asked), "--out", str(out)),
        )
        report = json.loads(out.read_text(encoding="utf-8"))
    rows, latency = report["per_question"], report["latency_ms"]
    halves = {
        "A": [row for row in rows if in_half_a(row["id"])],
        "B": [row for row in rows if not in_half_a(row["id"])],
        "all": rows,
    }
    for name, own in halves.items():
        figures = (f"{fmean(row[metric] for row in own):.3f}" for metric in METRICS)
        section.add(name, str(len(own)), *figures, f"{latency['p50']:.0f} / {latency['p95']:.0f} ms")
    return [section]


def in_half_a(question_id: str) -> bool:
    """Whether settings were chosen on this question."""
    return hashlib.sha256(f"0:{question_id}".encode()).digest()[0] < 128
