"""What settings are made of, and those that every trained method has."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypeVar

from retrieval.errors import ConfigError

T = TypeVar("T")


def setting(
    default: T,
    about: str,
    *,
    least: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> T:
    """A field of a settings class: its default, what it does, and its range.

    Args:
        default: used when nothing is given.
        about: one sentence for people; the paper's value in brackets where it differs or is worth knowing.
        least: smallest value allowed; 1 for whole numbers when nothing is said.
        above: values must be larger than this.
        below: values must be smaller than this.
    """
    if least is None and above is None and isinstance(default, int) and not isinstance(default, bool):
        least = 1
    metadata = {"about": about, "least": least, "above": above, "below": below}
    found: T = field(default=default, metadata=metadata)
    return found


@dataclass(frozen=True, slots=True)
class Checked:
    """Settings whose ranges are checked when they are made."""

    def __post_init__(self) -> None:
        for f in fields(self):
            value, rule = getattr(self, f.name), f.metadata
            for name, holds in (
                ("at least", rule.get("least") is None or value >= rule["least"]),
                ("above", rule.get("above") is None or value > rule["above"]),
                ("below", rule.get("below") is None or value < rule["below"]),
            ):
                if not holds:
                    limit = rule["least" if name == "at least" else name]
                    raise ConfigError(f"{f.name} is {value}.", hint=f"It must be {name} {limit}.")


@dataclass(frozen=True, slots=True)
class InferenceOptions(Checked):
    """Settings of a trained retriever when it is asked; a method that has any has a subclass of this."""


@dataclass(frozen=True, slots=True)
class TrainingConfig(Checked):
    """Settings that every trained method has."""

    learning_rate: float = setting(1e-3, "Of Adam.", above=0)
    batch_size: int = setting(64, "Questions a step.")
    epochs: int = setting(15, "At most so many epochs.")
    questions_per_epoch: int = setting(
        6000, "Larger training sets are visited in parts, so that checkpoints come often."
    )
    patience: int = setting(3, "Epochs without a better dev score before training stops.")
    averaging: float = setting(
        0.0,
        "Ask with a running average of the weights, of which each step leaves so much; 0 asks with the weights "
        "themselves.",
        least=0,
        below=1,
    )
    seed: int = setting(0, "Of everything random in training.", least=0)
