"""REL-RAG's ablation (section 5.3): the same retriever on the line graph and on the raw graph, trained on one set and
tested on another. Resumable like ``methods``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.evaluation.study import Study
from retrieval.loading import load_encoder
from retrieval.studies.plan import DataSet, StudyConfig, Variant, cells
from retrieval.studies.summary import summarise
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

TRAINED_ON = ("PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
SEEDS = (0, 1, 2)
METHOD = "rel-rag-path"
#: As it is trained by default; and the paper's form, without what was added to it, at the default's size and speed.
FORMS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "paper": {"preset": "paper", "hidden": 128, "batch_size": 64, "learning_rate": 2e-3},
}
_SHOWN = ("hit_at_1", "macro_f1")


def measure(data: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """Every pair of the sets (those named, else PathQuestion's), three seeds, relative gain with its deviation.

    Without ``run``, only the forms that are finished are shown.
    """
    sets = chosen(data, TRAINED_ON)
    if len(sets) < 2:
        return []
    section = Section(
        "Line graph against raw graph",
        "python -m tests.benchmarks line_vs_raw",
        f"`{METHOD}` with the graph of its GCNs switched, all else equal: in its default form, and in the paper's at "
        f"the default's size. {len(SEEDS)} seeds, mean ± sample deviation; the gain is taken seed by seed. Test "
        "splits, extractive reasoner. A set tested on itself is in-distribution.",
        head=(
            "form",
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
    for form, settings in FORMS.items():
        _add(section, form, settings, sets, run=run)
    return [section] if section.rows else []


def _add(
    section: Section, form: str, settings: Mapping[str, Any], sets: Mapping[str, DataSet], *, run: bool
) -> None:
    """A row for each pair of sets."""
    raw, line = (graph if form == "default" else f"{graph}-{form}" for graph in ("raw", "line"))
    variants = {name: Variant(METHOD, {**settings, "graph": name.split("-")[0]}) for name in (raw, line)}
    config = StudyConfig(sets, variants, test=tuple(sets), seeds=SEEDS, baseline=raw)
    study = Study(config, CACHE / "line_vs_raw", encoder=load_encoder(), say=print)
    if not run and any(study.finished(cell) is None for cell in cells(config)):
        return
    results = list(study.run())
    summary = summarise(results, baseline=raw)
    rows = {(row["train"], row["test"], row["variant"]): row for row in summary["rows"]}
    for gain in summary["gains"]:
        figures = []
        for name in _SHOWN:
            both = [rows[(gain["train"], gain["test"], variant)]["metrics"][name] for variant in variants]
            figures += [f"{found['mean']:.3f} ± {found['sd'] or 0:.3f}" for found in both]
            found = gain["metrics"].get(name)
            figures.append("–" if found is None else f"{found['mean']:+.1%} ± {found['sd'] or 0:.1%}")
        section.add(form, gain["train"], gain["test"], *figures)
