"""What relation paths alone teach: ``reg-path`` on WebQSP, trained without a topic or an answer."""

from __future__ import annotations

import json
import time
from pathlib import Path

from retrieval.studies.plan import DataSet
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew, prepared

SHOWN = ("hit_at_1", "hit", "macro_f1")
#: Two hops hold all but 3 in 100 of the training paths. A changed method needs a new cache.
SETTINGS = {"max_hops": 2, "epochs": 8, "patience": 8}


def measure() -> list[Section]:
    """Train on the relation paths of WebQSP's training questions; ask all questions that have topics and answers."""
    of = prepared("WebQSP")
    taught, asked = (
        found("freebase-piece", f"{name}.jsonl.gz") for name in ("webqsp_train_relation_paths", "webqsp_half")
    )
    if of is None or taught is None or asked is None:
        return []
    section = Section(
        "reg-path on WebQSP",
        "python -m tests.benchmarks webqsp",
        "Trained on 2,708 questions with weak shortest relation paths (no topics, no answers, no directions; one in "
        "ten set aside for choosing the epoch) and tested on the 766 questions of the other file, none of which was "
        "trained on. Extractive reasoner, 50 triples, no language model.",
        head=("topics", *SHOWN, "a question, p50 / p95"),
    )
    home = CACHE / "webqsp"
    home.mkdir(parents=True, exist_ok=True)
    seconds = trained(of, taught, home)
    questions = home / "questions.jsonl"
    clew("import-questions", str(asked), "--format", "jsonl", "--out", str(questions))
    for topics in ("given", "linked"):
        out = home / f"{topics}.json"
        clew(
            *("evaluate", "--graph", str(of.graph), "--questions", str(questions)),
            *("--checkpoint", str(home / "checkpoint"), "--topics", topics, "--out", str(out)),
        )
        report = json.loads(out.read_text(encoding="utf-8"))
        latency = report["latency_ms"]
        figures = (f"{report['metrics'][name]:.3f}" for name in SHOWN)
        section.add(topics, *figures, f"{latency['p50']:.0f} / {latency['p95']:.0f} ms")
    section.add(f"training {seconds:.0f} s")
    return [section]


def trained(of: DataSet, taught: Path, home: Path) -> float:
    """Train once for these settings; the seconds that it took."""
    done = home / "trained.json"
    if done.is_file():
        before = json.loads(done.read_text(encoding="utf-8"))
        if before["settings"] == SETTINGS:
            return float(before["seconds"])
    paths, settings = home / "paths.jsonl", home / "settings.json"
    settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
    clew("import-questions", str(taught), "--format", "relation-paths", "--out", str(paths))
    began = time.perf_counter()
    clew(
        *("train", "reg-path", "--graph", str(of.graph), "--questions", str(paths)),
        *("--config", str(settings), "--out", str(home / "checkpoint")),
    )
    seconds = time.perf_counter() - began
    done.write_text(json.dumps({"settings": SETTINGS, "seconds": seconds}), encoding="utf-8")
    return seconds
