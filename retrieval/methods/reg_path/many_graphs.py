"""One small planner trained on several graphs at once: its relations are texts, so one set of weights serves all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from retrieval.methods.reg_path.model import SmallPlanner
from retrieval.methods.reg_path.training import PlanTask

#: Examples of one graph that go through the model together.
BUNDLE = 32
#: A graph is visited by its examples to the power of this, so that large ones do not drown the others.
_LARGE = 0.5
_VISITS = 4096


class ManyGraphsTask:
    """Trains one model on the examples of several tasks; what the loop draws are bundles, each of one graph.

    Args:
        tasks: one for each graph, at least one, all of one encoder and the same settings.
        model: trained in place; the tasks' own model is replaced by it.
        seed: of which bundle is of which graph.
    """

    score_name = "dev_path_accuracy"

    def __init__(self, tasks: Sequence[PlanTask], model: SmallPlanner, seed: int = 0) -> None:
        self.tasks = tasks
        self.model = model
        for task in tasks:
            task.model = model
        sizes = np.array([task.size for task in tasks], np.float64) ** _LARGE
        self.graph_of = np.random.default_rng(seed).choice(len(tasks), _VISITS, p=sizes / sizes.sum())
        self.size = _VISITS
        self.scores: list[float] = []

    def loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Mean loss of the bundles drawn."""
        losses = []
        for bundle in chosen:
            task = self.tasks[int(self.graph_of[bundle])]
            losses.append(task.loss(rng.integers(task.size, size=min(BUNDLE, task.size)), rng))
        return torch.stack(losses).mean()

    def score(self, cancelled: Callable[[], bool]) -> float:
        """Mean over graphs of the share of dev questions planned rightly; the temperature is the median of theirs."""
        temperatures = []
        self.scores = []
        for task in self.tasks:
            self.scores.append(task.score(cancelled))
            temperatures.append(float(self.model.temperature))
        self.model.temperature.fill_(float(np.median(temperatures)))
        return float(np.mean(self.scores))
