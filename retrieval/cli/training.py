"""``train`` and ``self-train``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from retrieval.cli.console import Bars, print_note, print_result, watch_interrupts
from retrieval.cli.options import Encoding, QuestionOptions, Repeated
from retrieval.cli.questions import filter_split, read
from retrieval.errors import ConfigError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.methods.registry import DEFAULT
from retrieval.questions.splits import remove_measured, sample_training


def train(
    method: str = DEFAULT,
    /,
    *,
    graph: Path,
    question_options: QuestionOptions,
    out: Path,
    labels: Path | None = None,
    trajectories: Path | None = None,
    programs: Path | None = None,
    config: Path | None = None,
    fraction: float = 1.0,
    track: Repeated = (),
    encoding: Encoding = Encoding(),
) -> int:
    """Train a retriever; run again with the same ``--out`` to go on after a stop.

    Args:
        method: its name.
        graph: the graph's directory.
        out: the checkpoint's directory.
        labels: rational paths; made on the way when left out.
        trajectories: of graph-s3: learned from beside those that are made of the labels.
        programs: questions with programs, to learn how questions are read, beside those of the question set.
        config: JSON with settings that differ from the defaults, or from a preset: {"preset": "paper"}.
        fraction: share of the training questions used.
        track: NAME or NAME=WHERE, a tracker that records the training, such as tensorboard=runs; repeatable (default:
            CLEW_TRACKERS).
    """
    from retrieval.train import train as fit  # noqa: PLC0415 - imports torch

    settings = read_config(config)
    questions = sample_training(
        filter_split(read(question_options.questions), question_options.split),
        fraction,
        seed=(settings or {}).get("seed", 0),
    )
    more = [] if programs is None else [question for question in read(programs) if question.program is not None]
    with watch_interrupts() as stop, Bars() as bars:
        result = fit(
            method,
            snapshots.open(graph),
            questions,
            labels=labels,
            config=settings,
            out=out,
            encoder=encoding.load(),
            progress=bars,
            cancelled=stop.is_set,
            cache=get_cache_folder(graph),
            trajectories=trajectories or (),
            programs=remove_measured(more, questions),
            trackers=track or None,
        )
    for line in result.notes:
        print_note(line)
    figures = ", ".join(f"{name} {value:.4g}" for name, value in result.metrics.items())
    print_result(f"{result.checkpoint}: {figures}")
    return 0


def self_train(*, graph: Path, out: Path, seed: int = 0, encoding: Encoding = Encoding()) -> int:
    """Write questions from the graph's schema and train on them; no question of anybody is needed.

    Args:
        graph: the graph's directory.
        out: the checkpoint's directory.
        seed: of the questions and the training.
    """
    from retrieval import self_training  # noqa: PLC0415 - imports torch

    with watch_interrupts() as stop, Bars() as bars:
        made = self_training.run_self_training(
            snapshots.open(graph),
            out=out,
            encoder=encoding.load(),
            seed=seed,
            progress=bars,
            cancelled=stop.is_set,
            cache=get_cache_folder(graph),
        )
    print_result(
        f"{out}: {made.questions} written questions; exact sets of the same {made.compared} of walks not trained on: "
        f"{made.after:.3f} with the checkpoint, {made.before:.3f} without"
    )
    return 0


def read_config(path: Path | None) -> dict[str, Any] | None:
    """Settings from a JSON file.

    Raises:
        ConfigError: the file is missing or no JSON object.
    """
    if path is None:
        return None
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"The settings file {path} cannot be read: {error}.") from error
    if not isinstance(settings, dict):
        raise ConfigError(f"{path} holds no JSON object.", hint='Write settings as {"name": value}.')
    return settings
