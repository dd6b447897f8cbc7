"""What the engine's command line reaches, from files to report: MetaQA and the demo graph."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from retrieval import demo
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import clew

SHOWN = ("exact_set", "hit_at_1", "macro_f1")


def measure() -> list[Section]:
    """Train ``rel-rag-path`` and evaluate it on the test split, with the extractive reasoner."""
    section = Section(
        "Quality and training time of `rel-rag-path`",
        "python -m tests.benchmarks quality",
        "The engine's command line: build-graph, import-questions, train, evaluate --split test. Splits by a hash of "
        "the question's id (MetaQA: its public dev files, 80/10/10) or as given (demo). Topic entities as the data "
        "names them; extractive reasoner; no language model.",
    )
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _measure(section, "demo", home, [str(p) for p in demo.FACTS], _joined(home))
        metaqa = found("metaqa")
        if metaqa is not None:
            files = [str(metaqa / hop / "qa_dev.txt.gz") for hop in ("1-hop", "2-hop", "3-hop")]
            questions = home / "metaqa.jsonl"
            clew("import-questions", *files, "--format", "metaqa", "--out", str(questions))
            _measure(section, "MetaQA", home, [str(metaqa / "kb.txt.gz")], questions)
    return [section]


def _joined(home: Path) -> Path:
    path = home / "demo.jsonl"
    path.write_text(
        "".join(file.read_text(encoding="utf-8") for file in demo.QUESTIONS.values()), encoding="utf-8"
    )
    return path


def _measure(section: Section, name: str, home: Path, sources: list[str], questions: Path) -> None:
    graph, checkpoint, out = (str(home / f"{name}.{part}") for part in ("graph", "checkpoint", "json"))
    clew("build-graph", *sources, "--out", graph, "--no-index")
    began = time.perf_counter()
    clew("train", "rel-rag-path", "--graph", graph, "--questions", str(questions), "--out", checkpoint)
    section.add(f"{name}: training", f"{time.perf_counter() - began:.0f} s")
    asked = ("--graph", graph, "--questions", str(questions), "--split", "test")
    clew("evaluate", *asked, "--checkpoint", checkpoint, "--out", out)
    report = json.loads(Path(out).read_text(encoding="utf-8"))
    section.add(f"{name}: {' / '.join(SHOWN)} ({report['n']} questions)", _figures(report["metrics"]))
    for hops, metrics in sorted(report["by_hops"].items()):
        section.add(f"{name}, {hops} hop", _figures(metrics))
    latency = report["latency_ms"]
    section.add(f"{name}: a question, p50 / p95", f"{latency['p50']:.0f} / {latency['p95']:.0f} ms")


def _figures(metrics: dict[str, float]) -> str:
    return " / ".join(f"{metrics[name]:.3f}" for name in SHOWN)
