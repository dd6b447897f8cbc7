"""A running average of the weights (Polyak and Juditsky, 1992): steadier than the weights of any one step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class WeightAverage:
    """An exponential running average of a model's parameters; buffers are not averaged.

    Args:
        model: what is averaged; read after every step.
        decay: share of the old average that a step leaves, in (0, 1); early steps leave less, so that the
            average forgets the initial weights.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model = model
        self.decay = decay
        self.steps = 0
        self.values: dict[str, Tensor] = {}

    @torch.no_grad()
    def update(self, *_: object) -> None:
        """Take in the model's parameters as they stand after a step; a hook of the optimizer's steps."""
        keep = min(self.decay, (1 + self.steps) / (10 + self.steps)) if self.steps else 0.0
        self.steps += 1
        for name, value in self.model.named_parameters():
            if name in self.values:
                self.values[name].lerp_(value, 1 - keep)
            else:
                self.values[name] = value.detach().clone()

    @contextmanager
    def use_average(self) -> Iterator[None]:
        """Give the model the average while the body runs; its own parameters come back after it."""
        weights = {name: value.detach().clone() for name, value in self.model.named_parameters()}
        self._put(self.values)
        try:
            yield
        finally:
            self._put(weights)

    @torch.no_grad()
    def _put(self, values: dict[str, Tensor]) -> None:
        for name, value in self.model.named_parameters():
            if name in values:
                value.copy_(values[name])

    def get_state(self) -> dict[str, object]:
        """What a resumed training needs."""
        return {"steps": self.steps, "values": self.values}

    def restore(self, steps: int, values: dict[str, Tensor]) -> None:
        """Go on from what :meth:`get_state` gave."""
        self.steps, self.values = steps, values
