"""``train``."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from retrieval.cli.console import Bars, note, say, stoppable
from retrieval.cli.questions import of_split, read
from retrieval.errors import ConfigError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.cache import cache_of
from retrieval.loading import load_encoder
from retrieval.questions.files import training_sample

if TYPE_CHECKING:
    from pathlib import Path


def train(args: argparse.Namespace) -> int:
    """Train a retriever; run again with the same ``--out`` to go on after a stop."""
    from retrieval.train import train as fit  # noqa: PLC0415 - imports torch

    graph = snapshots.open(args.graph)
    config = read_config(args.config)
    questions = training_sample(
        of_split(read(args.questions), args.split), args.fraction, seed=(config or {}).get("seed", 0)
    )
    with stoppable() as stop, Bars() as bars:
        result = fit(
            args.method,
            graph,
            questions,
            labels=args.labels,
            config=config,
            out=args.out,
            encoder=load_encoder(args.encoder, args.device),
            progress=bars,
            cancelled=stop.is_set,
            cache=cache_of(args.graph),
            trajectories=args.trajectories or (),
        )
    for line in result.notes:
        note(line)
    figures = ", ".join(f"{name} {value:.4g}" for name, value in result.metrics.items())
    say(f"{result.checkpoint}: {figures}")
    return 0


def read_config(path: Path | None) -> dict[str, Any] | None:
    """Settings from a JSON file.

    Raises:
        ConfigError: the file is missing or no JSON object.
    """
    if path is None:
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"The settings file {path} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{path} holds no JSON object.", hint='Write settings as {"name": value}.')
    return found
