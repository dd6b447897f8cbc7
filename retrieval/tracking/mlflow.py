"""Trainings as runs of MLflow."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrieval.tracking.runs import Status

EXPERIMENT = "clew"
"""The experiment of runs where ``MLFLOW_EXPERIMENT_NAME`` says nothing."""

_STATUS = {"finished": "FINISHED", "stopped": "KILLED", "failed": "FAILED"}
#: MLflow's settings where they are not set: a server that is away delays the training by seconds and not, as by
#: default, by minutes, and nothing is reported to MLflow's makers.
_SETTINGS = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}


class MLflowTracker:
    """Records runs in an MLflow server or folder. See ``runs.Tracker``.

    Args:
        where: tracking URI; that of MLflow's own settings (``MLFLOW_TRACKING_URI``) when empty.
    """

    def __init__(self, where: str) -> None:
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        from mlflow import MlflowClient  # noqa: PLC0415 - seconds of import, and in an extra

        self._client = MlflowClient(tracking_uri=where or None)
        self._run = ""

    def start_run(self, name: str, params: Mapping[str, Any]) -> None:
        """Create a run with its parameters."""
        from mlflow.entities import Param  # noqa: PLC0415

        experiment_name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or EXPERIMENT
        experiment = self._client.get_experiment_by_name(experiment_name)
        key = experiment.experiment_id if experiment else self._client.create_experiment(experiment_name)
        self._run = self._client.create_run(key, run_name=name).info.run_id
        self._client.log_batch(self._run, params=[Param(name, str(value)) for name, value in params.items()])

    def log_metrics(self, metrics: Mapping[str, float], step: int) -> None:
        """Record them in one request."""
        from mlflow.entities import Metric  # noqa: PLC0415

        now = int(time.time() * 1000)
        self._client.log_batch(self._run, metrics=[Metric(name, value, now, step) for name, value in metrics.items()])

    def end_run(self, status: Status) -> None:
        """Terminate the run."""
        self._client.set_terminated(self._run, _STATUS[status])
