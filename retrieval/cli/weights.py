"""``build-weights``: the weights that come with Clew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from retrieval.cli.console import print_note, print_result
from retrieval.cli.options import Encoding


def build_weights(
    name: tuple[str, ...] = (),
    /,
    *,
    data: Path = Path("data"),
    out: Path | None = None,
    cache: Path = Path(".clew/weights"),
    suite: Annotated[tuple[Path, ...], Parameter(show_default=False)] = (),
    seed: int = 0,
    encoding: Encoding = Encoding(),
) -> int:
    """Build weights from public or generated data, print their held-out figures, and write the model card.

    What the data folder must hold, with addresses and licences, is in retrieval/pretrained/README.md; an error names
    what is missing.

    Args:
        name: programs, judge, paths, lacking, choice, reader or demo; all where none is named.
        data: the folder of public data sets.
        out: the folder to write to; without it the weights that come with Clew are replaced.
        cache: the folder of graphs and features that were computed before.
        suite: a further folder of questions over graphs, in the form of tests/own_graphs; repeatable.
        seed: of all draws.
    """
    from retrieval.weights.building import build_weights as build  # noqa: PLC0415 - imports torch
    from retrieval.weights.data import TrainingData  # noqa: PLC0415
    from retrieval.weights.model_card import render_card  # noqa: PLC0415
    from retrieval.weights.registry import get_builders  # noqa: PLC0415

    builders = get_builders(name)
    training_data = TrainingData(data, cache, suites=suite, built=out)
    for builder in builders:
        training_data.require(builder.sources)  # before the first takes hours
    for builder in builders:
        print_note(f"{builder.name}: {builder.about}")
        record = build(builder, training_data, encoding.load(), seed=seed, out=out)
        print_result(render_card(record))
    return 0
