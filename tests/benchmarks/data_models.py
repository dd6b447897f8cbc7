"""Inference of data models on public data sets: kinds, names, keys, types and references, as their owners see them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.errors import ClewError
from retrieval.kg.model.data_model import DataModel
from retrieval.kg.readers import read_model
from tests.benchmarks.data_models_files import prepare
from tests.benchmarks.data_models_score import FIGURES, Score, score_model
from tests.benchmarks.data_models_sets import ExpectedSet, Part, load_sets
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks data_models --data DIR"


def measure(data: Sequence[str], parts: Sequence[Part], *, broken: float = 0.0, show: bool = False) -> list[Section]:
    """Infer the data model of each set and compare it with the one that was written down by hand.

    Args:
        data: the folder that ``python -m tests.benchmarks.data_models_fetch`` has filled; none skips it.
        parts: of the suite.
        broken: share of the rows to break at random; the difference that it makes is shown.
        show: print what is wrong in each set.
    """
    if not data:
        print("skipped: --data names no folder that tests.benchmarks.data_models_fetch has filled", flush=True)
        return []
    section = Section(
        "Data models",
        COMMAND,
        "Public data sets from packages of pip and npm, each imported alone; expectations written by hand before "
        "anything was inferred (tests/data_models). Tune: sets that are looked at while inference is changed. Held: "
        "never looked at. A set belongs to the half that the hash of its id says. Kind: tables that become kinds of "
        "things; label: what such a thing is called; name: the columns that name it; key: the column that others "
        "refer to it by; type and unit: of some columns. Precision: "
        "inferred references that are right, the mean over sets; recall: right "
        "references that are inferred. Broken: a share of the rows has a further cell, lost cells, swapped cells or a "
        "key that does not exist.",
        head=("part", "sets", *FIGURES),
        theme="Untrained",
    )
    for part in parts:
        whole, sets = score_part(part, Path(data[0]), show=show)
        section.add(part, f"{sets}", *_format_shares(whole))
        if broken:
            other, _ = score_part(part, Path(data[0]), broken=broken, show=show)
            section.add(f"{part}, {broken:.0%} broken", f"{sets}", *_format_shares(other))
            section.add(f"{part}, difference", f"{sets}", *_format_differences(whole, other))
    return [section]


def score_part(part: Part, home: Path, *, broken: float = 0.0, show: bool = False) -> tuple[Score, int]:
    """Score all sets of a part whose files are there; returns the figures and how many sets there are."""
    score, sets = Score(), 0
    for expected in load_sets([part]):
        try:
            one = score_set(expected, home, broken=broken)
        except FileNotFoundError as error:
            print(f"{expected.id}: left out, {error.filename} is missing", flush=True)
            continue
        if show and one.misses:
            print(f"{expected.id}{', broken' if broken else ''}", *one.misses, sep="\n    ", flush=True)
        score.add(one)
        sets += 1
    return score, sets


def score_set(expected: ExpectedSet, home: Path, *, broken: float = 0.0) -> Score:
    """Infer the data model of a set and score it; nothing is right where its files cannot be read.

    Raises:
        FileNotFoundError: a file of the set is not there.
    """
    with TemporaryDirectory() as folder:
        paths = prepare(expected, home, Path(folder), broken)
        try:
            return score_model(expected, read_model(paths, names={path: path.name for path in paths}))
        except ClewError as error:
            score = score_model(expected, DataModel())
            score.misses = [f"cannot be read: {error}"]
            return score


def _format_shares(score: Score) -> list[str]:
    return ["" if share is None else f"{share:.3f}" for share in map(score.share, FIGURES)]


def _format_differences(whole: Score, broken: Score) -> list[str]:
    pairs = ((whole.share(figure), broken.share(figure)) for figure in FIGURES)
    return ["" if one is None or other is None else f"{other - one:+.3f}" for one, other in pairs]
