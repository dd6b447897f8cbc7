"""A checkpoint asked on a larger version of its graph: PQ-2H's, on 350,000 facts that hold all of PQ-2H's.

The rest is FB15k-237, the other three graphs of PathQuestion and the first facts of the Freebase piece, whose names are
spelt as PathQuestion's, so that people and places of PQ-2H have facts of all of them. Resumable like ``methods``.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from retrieval.answering.loading import load_encoder
from retrieval.evaluation.study import StudyRunner
from retrieval.studies.plan import DataSet, StudyConfig, Variant
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, clew, prepared

OWN, LARGER = "PQ-2H", "PQ-2H in a larger graph"
METHODS = ("reg-path", "rel-rag-path")
SHOWN = ("hit", "hit_at_1", "macro_f1", "exact_set")
_ADDED = ("2H-kb.txt.gz", "3H-kb.txt.gz", "PQL2-KB.txt.gz", "PQL3-KB.txt.gz")
#: So many of the Freebase piece, to come near the 346,000 triples of the goal.
_PIECE = 30_000


def measure(methods: Sequence[str] = ()) -> list[Section]:
    """Train on PQ-2H's own graph; ask its test questions there and on the larger one, given and linked topics."""
    own, larger = prepared(OWN), _larger()
    if own is None or larger is None:
        return []
    section = Section(
        "A larger graph",
        "python -m tests.benchmarks larger_graph",
        "Trained on PQ-2H's graph of 1,211 triples, asked its 148 test questions there and on a graph that holds "
        "all of it, with FB15k-237, PathQuestion's other graphs and 30,000 facts of the Freebase piece, names spelt as "
        "PathQuestion's. Extractive reasoner, 50 triples, no language model, one seed; 95% intervals. To reach: "
        "Hit 0.97.",
        head=("method", "graph", "topics", "Hit", "Hit@1", "Macro-F1", "exact set", "a question p50"),
    )
    data = {OWN: own, LARGER: DataSet(larger, own.questions)}
    variants = {name: Variant(name) for name in methods or METHODS}
    for topics in ("given", "linked"):
        config = StudyConfig(data, variants, train=(OWN,), test=(OWN, LARGER), topics=topics)
        for result in StudyRunner(config, CACHE / "methods", encoder=load_encoder(), say=print).run():
            section.add(
                result["cell"]["variant"],
                "its own" if result["cell"]["test"] == OWN else "larger",
                topics,
                *(f"{result['metrics'][name]:.3f} ({_interval(result['intervals'][name])})" for name in SHOWN),
                f"{result['latency_ms']['p50']:.0f} ms",
            )
    return [section]


def _interval(of: Sequence[float]) -> str:
    low, high = of
    return f"{low:.3f}–{high:.3f}"


def _larger() -> Path | None:
    """The larger graph, built once; None (said aloud) without the data."""
    built = CACHE / "sets" / "PQ-2H-larger.graph"
    files = [found("pathquestion", name) for name in _ADDED]
    named, piece = found("graphs", "fb15k237_named_triples.tsv.gz"), found("freebase-piece", "triples.tsv.gz")
    if built.is_dir():
        return built
    if named is None or piece is None or None in files:
        return None
    facts = CACHE / "sets" / "PQ-2H-larger.tsv"
    with facts.open("w", encoding="utf-8") as out:
        out.writelines(_spelt(named))
        out.writelines(line for file in files if file for line in _lines(file))
        out.writelines(_spelt(piece, _PIECE))
    clew("build-graph", str(facts), "--out", str(built), "--no-index")
    return built


def _lines(file: Path) -> Iterator[str]:
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        yield from (line.rstrip("\n").lower() + "\n" for line in rows if line.strip())


def _spelt(file: Path, most: int | None = None) -> Iterator[str]:
    """Its facts with names as PathQuestion spells them: small letters, underscores."""
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        for at, line in enumerate(rows):
            if at == most:
                return
            head, relation, tail = line.rstrip("\n").split("\t")[:3]
            names = (re.sub(r"[^\w\-]+", "_", name.lower()).strip("_") for name in (head, tail))
            yield "{0}\t{2}\t{1}\n".format(*names, relation)
