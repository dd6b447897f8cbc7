"""Builds weights, measures them on held-out graphs, and records how they were made."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.version import get_code_version
from retrieval.weights.model_card import update_card
from retrieval.weights.record import BuildRecord

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.builder import WeightBuilder
    from retrieval.weights.data import TrainingData

RECORDS = "records"
"""The folder of records beside the weights."""


def build_weights(
    builder: WeightBuilder[Any, Any],
    data: TrainingData,
    encoder: Encoder,
    *,
    seed: int = 0,
    out: Path | None = None,
) -> BuildRecord:
    """Build a file of weights, with its record and the section of the model card.

    The file is replaced only when everything is done.

    Args:
        builder: of the file.
        data: where the data is.
        encoder: its vectors are learned from.
        seed: of all draws.
        out: folder to write to; None replaces the weights that come with Clew.

    Raises:
        SourceError: data is missing.
    """
    data.require(builder.sources)
    folder = out or builder.file.parent
    folder.mkdir(parents=True, exist_ok=True)
    examples = builder.prepare(data, encoder, seed)
    figures = builder.evaluate(examples, seed)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        made = Path(temporary) / builder.file.name
        builder.write(builder.build(examples, seed), made)
        for path in made.parent.iterdir():
            _replace(path, folder / path.name)
    record = BuildRecord(
        name=builder.name,
        command=f"python -m retrieval build-weights {builder.name} --seed {seed}",
        seed=seed,
        date=datetime.now(UTC).date().isoformat(),
        version=get_code_version(),
        encoder=encoder.name,
        data={source.name: source.origin for source in builder.sources if _is_used(data, source.paths)},
        figures=figures,
    )
    record.save(folder / RECORDS / f"{builder.name}.json")
    update_card(folder / builder.page, record)
    return record


def _is_used(data: TrainingData, paths: tuple[str, ...]) -> bool:
    return all(data.find(path) is not None for path in paths)


def _replace(made: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    made.replace(target)
