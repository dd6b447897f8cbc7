"""Question sets, public ones and the demo's, as graphs and question files, made once by the engine's command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval import demo
from retrieval.errors import ConfigError
from retrieval.studies.plan import DataSet
from tests.benchmarks.data import found

ROOT = Path(__file__).resolve().parents[2]
#: Where graphs, checkpoints and finished cells are kept between runs.
CACHE = Path(os.environ.get("CLEW_BENCH_CACHE", ROOT / ".clew" / "benchmarks"))


@dataclass(frozen=True, slots=True)
class Source:
    """What a set is made of: files of facts and of questions, below the data folder unless they lie elsewhere."""

    facts: tuple[tuple[str, ...], ...]
    questions: tuple[tuple[str, ...], ...]
    form: str
    vectors: bool = False


SETS = {
    "MetaQA": Source(
        (("metaqa", "kb.txt.gz"),),
        tuple(("metaqa", hop, "qa_dev.txt.gz") for hop in ("1-hop", "2-hop", "3-hop")),
        "metaqa",
    ),
    "PQ-2H": Source((("pathquestion", "2H-kb.txt.gz"),), (("pathquestion", "PQ-2H.txt.gz"),), "pathquestion"),
    "PQ-3H": Source((("pathquestion", "3H-kb.txt.gz"),), (("pathquestion", "PQ-3H.txt.gz"),), "pathquestion"),
    "PQL-2H": Source((("pathquestion", "PQL2-KB.txt.gz"),), (("pathquestion", "PQL-2H.txt.gz"),), "pathquestion"),
    "PQL-3H": Source((("pathquestion", "PQL3-KB.txt.gz"),), (("pathquestion", "PQL-3H.txt.gz"),), "pathquestion"),
    "WebQSP": Source(
        (("freebase-piece", "triples.tsv.gz"),),
        (
            ("freebase-piece", "webqsp_half.jsonl.gz"),
            ("freebase-piece", "webqsp_train_relation_paths.jsonl.gz"),
        ),
        "jsonl",
        vectors=True,
    ),
    "demo": Source(
        tuple((str(path),) for path in demo.FACTS),
        tuple((str(path),) for path in demo.QUESTIONS.values()),
        "jsonl",
    ),
}


def prepared(name: str) -> DataSet | None:
    """Graph and questions of a set; None (said aloud) without the data.

    Sets without splits are divided by a hash of the ids (80/10/10); the demo brings its own.
    """
    source = SETS[name]
    facts = [found(*parts) for parts in source.facts]
    files = [found(*parts) for parts in source.questions]
    if None in facts or None in files:
        return None
    home = CACHE / "sets"
    built, questions = home / f"{name}.graph", home / f"{name}.jsonl"
    if not built.is_dir():
        clew("build-graph", *map(str, facts), "--out", str(built), *(() if source.vectors else ("--no-index",)))
    if not questions.is_file():
        clew("import-questions", *map(str, files), "--format", source.form, "--out", str(questions))
    return DataSet(built, questions)


def chosen(names: Sequence[str], otherwise: Sequence[str]) -> dict[str, DataSet]:
    """The sets that are named, else ``otherwise``, as far as their data is there.

    Raises:
        ConfigError: a name is unknown.
    """
    for name in names:
        if name not in SETS:
            raise ConfigError(f"There is no data set {name!r}.", hint=f"There is: {', '.join(SETS)}.")
    return {name: of for name in (names or otherwise) if (of := prepared(name)) is not None}


def clew(*arguments: str) -> None:
    """Run a command of the engine's command line."""
    subprocess.run([sys.executable, "-m", "retrieval", *arguments], check=True, stderr=subprocess.DEVNULL)
