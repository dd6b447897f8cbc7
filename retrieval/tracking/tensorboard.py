"""Trainings for TensorBoard: one folder of event files for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrieval.tracking.runs import Status


class TensorBoardTracker:
    """Writes event files. See ``runs.Tracker``.

    Args:
        where: the folder that ``tensorboard --logdir`` is given; ``runs`` when empty.
    """

    def __init__(self, where: str) -> None:
        import torch.utils.tensorboard  # noqa: F401, PLC0415 - raises where TensorBoard is not installed

        self._folder = Path(where or "runs")
        self._writer: Any = None

    def start_run(self, name: str, params: Mapping[str, Any]) -> None:
        """Begin a folder."""
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415

        self._writer = SummaryWriter(self._folder / f"{name}-{datetime.now():%Y%m%d-%H%M%S.%f}")
        self._writer.add_text("params", f"```\n{json.dumps(dict(params), indent=1, default=str)}\n```")

    def log_metrics(self, metrics: Mapping[str, float], step: int) -> None:
        """Write one scalar for each; seen at once."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def end_run(self, status: Status) -> None:
        """Close the files."""
        self._writer.add_text("status", status)
        self._writer.close()
