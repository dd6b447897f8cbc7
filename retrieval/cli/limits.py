"""``--at-most-wrong``: the limit on wrong answers, calibrated once for a graph and what answers it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from retrieval.cli.console import Bars, print_note, watch_interrupts
from retrieval.kg.snapshot.cache import load_or_compute_json
from retrieval.metrics.guarantee import CERTAINTY, CalibrationAnswer, Guarantee, find_guarantee

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retrieval.answering.pipeline import Answerer
    from retrieval.cli.options import Answering
    from retrieval.events import Event

    Asked = Callable[[Callable[[], bool]], Iterator[Event]]


def load_guarantee(answering: Answering, answerer: Answerer) -> Guarantee | None:
    """What is known of the limit that was asked for; calibrated where that was not done before. None without a limit.

    Raises:
        Cancelled: Ctrl-C was pressed.
    """
    if answering.at_most_wrong is None:
        return None
    from retrieval.config import export_settings  # noqa: PLC0415 - imports torch
    from retrieval.evaluation.calibration import calibrate  # noqa: PLC0415
    from retrieval.version import get_code_version  # noqa: PLC0415

    parts = [
        answerer.snapshot.hash, answerer.checkpoint, str(answerer.method), answerer.encoder,
        answerer.reasoner.name, answerer.reasoner.llm, export_settings(answerer.options), answering.foreign,
        get_code_version(),
    ]  # fmt: skip
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def compute() -> dict[str, Any]:
        print_note("calibrating the limit on questions written from the graph's schema; this is done once")
        with watch_interrupts() as stop, Bars() as bars:
            answers = calibrate(answerer, progress=bars, cancelled=stop.is_set)
        return {"answers": [asdict(answer) for answer in answers]}

    kept = load_or_compute_json(answerer.snapshot.path, f"calibration-{key[:16]}", key, compute)
    guarantee = find_guarantee([CalibrationAnswer(**row) for row in kept["answers"]], answering.at_most_wrong)
    print_note(_describe(guarantee))
    return guarantee


def apply_limit(stream: Asked, guarantee: Guarantee | None) -> Asked:
    """The same events, of which answers that are not sure enough for the limit are marked as guesses."""
    from retrieval.answering.error_limit import apply_limit  # noqa: PLC0415 - not needed without a limit
    from retrieval.events import AnswerFinal  # noqa: PLC0415

    if guarantee is None:
        return stream

    def stream_events(stop: Callable[[], bool]) -> Iterator[Event]:
        for event in stream(stop):
            if isinstance(event, AnswerFinal):
                yield apply_limit(event, guarantee.at_most_wrong, guarantee)
            else:
                yield event

    return stream_events


def _describe(guarantee: Guarantee) -> str:
    limit = f"at most {guarantee.at_most_wrong} of 100 answers wrong, {CERTAINTY:.0%} certain"
    if guarantee.threshold is not None:
        return (
            f"{limit}: answers of a confidence from {guarantee.threshold:.3f}, "
            f"{guarantee.answered:,} of {guarantee.tested:,} test questions written from the schema"
        )
    if guarantee.too_few:
        return f"{limit}: {guarantee.tested:,} test questions are too few to show it; {guarantee.needed:,} are needed"
    return f"{limit}: no confidence keeps it on {guarantee.tested:,} test questions, so nothing is answered"
