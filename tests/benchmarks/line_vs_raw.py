"""REL-RAG's ablation (section 5.3): the same retriever on the line graph and on the raw graph, trained on one set and
tested on another. Resumable like ``methods``.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.evaluation.study import Study
from retrieval.evaluation.study_config import StudyConfig, Variant
from retrieval.evaluation.study_page import summarise
from retrieval.loading import load_encoder
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

TRAINED_ON = ("PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
SEEDS = (0, 1, 2)
METHOD = "rel-rag-path"
_SHOWN = ("hit_at_1", "macro_f1")


def measure(data: Sequence[str] = ()) -> list[Section]:
    """Every pair of the sets (those named, else PathQuestion's), three seeds, relative gain with its deviation."""
    sets = chosen(data, TRAINED_ON)
    if len(sets) < 2:
        return []
    variants = {graph: Variant(METHOD, {"graph": graph}) for graph in ("raw", "line")}
    config = StudyConfig(sets, variants, test=tuple(sets), seeds=SEEDS, baseline="raw")
    results = list(Study(config, CACHE / "line_vs_raw", encoder=load_encoder(), say=print).run())
    summary = summarise(results, baseline="raw")
    rows = {(row["train"], row["test"], row["variant"]): row for row in summary["rows"]}
    section = Section(
        "Line graph against raw graph",
        "python -m tests.benchmarks line_vs_raw",
        f"`{METHOD}` with the graph of its GCNs switched, all else equal; {len(SEEDS)} seeds; mean ± sample deviation; "
        "the gain is taken seed by seed. Test splits, extractive reasoner. A set tested on itself is in-distribution.",
        head=(
            "trained on",
            "tested on",
            "Hit@1 raw",
            "Hit@1 line",
            "gain",
            "Macro-F1 raw",
            "Macro-F1 line",
            "gain",
        ),
    )
    for gain in summary["gains"]:
        cells = []
        for name in _SHOWN:
            both = [rows[(gain["train"], gain["test"], graph)]["metrics"][name] for graph in ("raw", "line")]
            cells += [f"{found['mean']:.3f} ± {found['sd'] or 0:.3f}" for found in both]
            found = gain["metrics"].get(name)
            cells.append("–" if found is None else f"{found['mean']:+.1%} ± {found['sd'] or 0:.1%}")
        section.add(gain["train"], gain["test"], *cells)
    return [section]
