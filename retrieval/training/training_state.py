"""Where a training stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor, nn

#: A rise of the dev score below this does not keep training going.
_WORTH_WAITING = 0.002


@dataclass
class TrainingState:
    """Where training stands; what a resumed training goes on from.

    Attributes:
        epoch: epochs done.
        best: best dev score so far, -1 before the first.
        since_best: epochs since then.
        history: loss and dev score of each epoch.
        curve: of a task that measures more than its loss, each step of it.
    """

    epoch: int = 0
    best: float = -1.0
    since_best: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)
    curve: list[dict[str, float]] = field(default_factory=list)

    def add_epoch(self, name: str, loss: float, score: float, model: nn.Module) -> None:
        """Take note of an epoch; keep the weights when it is the best one."""
        self.epoch += 1
        self.since_best += 1
        self.history.append({"loss": loss, name: score})
        if score > self.best + _WORTH_WAITING:
            self.since_best = 0
        if score > self.best:
            self.best = score
            self.weights = copy_weights(model)


def copy_weights(model: nn.Module) -> dict[str, Tensor]:
    """The weights as they stand now."""
    return {name: value.detach().clone() for name, value in model.state_dict().items()}
