"""Graphs and tables of newcomers asked before and after they taught themselves, by the whole engine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from retrieval.answering.loading import load_encoder
from retrieval.errors import TrainingDataError
from retrieval.evaluation.outcomes import Outcome
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.self_training import METHOD, run_self_training
from retrieval.weights.suites import SuiteQuestion
from tests.benchmarks import newcomers
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE
from tests.benchmarks.unseen import HEAD, answered, figures

COMMAND = "python -m tests.benchmarks self_taught"
#: One in so many folders is taken, from this one on.
_EVERY, _FIRST = 11, 4


def measure(data: Sequence[str] = ()) -> list[Section]:
    """Self-train on some folders of newcomers, as an upload does, and ask their questions without and with it.

    Args:
        data: folders; one in eleven of those in the repository where none is named.
    """
    section = Section(
        "Self-trained newcomers",
        COMMAND,
        "One folder in eleven of tests/newcomers, uploaded alone and asked its questions before and after "
        'self-training. Kept: the web application would use what was learned. Other columns as in the result "All '
        'suites, untrained".',
        head=("graph", "kept", "by", *HEAD[1:]),
    )
    folders = [Path(name) for name in data] or sorted(
        file.parent for file in newcomers.HOME.glob("*/*/questions.jsonl")
    )[_FIRST::_EVERY]
    rows: dict[str, list[tuple[SuiteQuestion, Outcome]]] = {"zero-shot": [], "self-taught": []}
    for folder in folders:
        asked = newcomers.asked_of(folder)
        out = CACHE / "self-taught" / f"{folder.parent.name}-{folder.name}"
        shutil.rmtree(out, ignore_errors=True)
        snapshot = snapshots.open(asked[0].graph)
        try:
            made = run_self_training(snapshot, out=out, encoder=load_encoder(), cache=get_cache_folder(asked[0].graph))
        except TrainingDataError:
            continue
        for by, checkpoint in (("zero-shot", None), ("self-taught", out)):
            found = newcomers.judged(answered(asked, checkpoint, METHOD if checkpoint else None))
            rows[by] += found if made.better else []
            section.add(folder.name, "yes" if made.better else "no", by, *figures(found))
    for by, found in rows.items():
        section.add("all that keep it", "yes", by, *figures(found))
    return [section]
