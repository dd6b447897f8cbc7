"""The curve of a training: what each epoch measured, taken from the progress that a training tells."""

from __future__ import annotations

from collections.abc import Callable

from retrieval.types import Progress

STAGE = "training"


class Curve:
    """Collects a row for each epoch: ``{"epoch", "loss", and the dev score where it was measured}``.

    The score of an epoch is told in the next one, so the last row lacks it; a training that was gone on with has rows
    from there on.
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []

    def wrap_progress(self, onward: Callable[[Progress], None]) -> Callable[[Progress], None]:
        """A progress callback that listens and passes everything on."""

        def collect_progress(made: Progress) -> None:
            if made.stage == STAGE and "loss" in made.metrics:
                self._add(made)
            onward(made)

        return collect_progress

    def _add(self, made: Progress) -> None:
        epoch = _parse_epoch(made.message)
        if epoch is None:
            return
        if not self.rows or self.rows[-1]["epoch"] != epoch:
            scores = {k: v for k, v in made.metrics.items() if k not in ("loss", "rate")}
            if self.rows:
                self.rows[-1] |= scores
            self.rows.append({"epoch": float(epoch), "loss": 0.0})
        self.rows[-1]["loss"] = made.metrics["loss"]


def _parse_epoch(message: str) -> int | None:
    """3 of "epoch 3 of at most 15"."""
    words = message.split()
    return int(words[1]) if len(words) > 1 and words[0] == "epoch" and words[1].isdigit() else None
