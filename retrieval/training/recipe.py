"""What a method brings to be trained, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from torch import Tensor, nn

from retrieval.config import RetrieverConfig, TrainingConfig
from retrieval.kg.snapshot import Snapshot
from retrieval.linking.features import GraphFeatures, compute_graph_features
from retrieval.linking.text_features import TextEncoder, TextFeatures, encode_graph_texts
from retrieval.retriever import Retriever
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label
from retrieval.supervision.trajectories import Trajectory
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.types import Progress, QuestionRecord

if TYPE_CHECKING:
    from retrieval.training.training_state import TrainingState

#: Above so many entities, encoding their labels takes longer than it is worth.
_ENTITY_TEXTS = 20_000


@dataclass(frozen=True, slots=True)
class Splits:
    """The questions of the train and dev splits, and what a person should know about them.

    Attributes:
        train, dev: grounded ones.
        notes: one sentence each.
        planned, planned_dev: those that have relation paths and cannot be grounded.
    """

    train: list[Grounded]
    dev: list[Grounded]
    notes: tuple[str, ...]
    planned: list[QuestionRecord] = field(default_factory=list)
    planned_dev: list[QuestionRecord] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Work:
    """What every stage of one training needs.

    Attributes:
        cache: where label vectors and triple states are kept for asking, if anywhere.
        log_metrics: takes the figures of each epoch, counted from 1 over all stages.
    """

    snapshot: Snapshot
    encoder: TextEncoder
    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    cache: Path | None
    trajectories: tuple[Trajectory, ...] = ()
    log_metrics: Callable[[Mapping[str, float], int], None] = lambda _metrics, _step: None

    def build_features(self, config: RetrieverConfig, *, directed: bool = False) -> GraphFeatures:
        """Text features of the graph and their sums; ``entity_texts`` resolved."""
        return compute_graph_features(
            self.snapshot,
            self.encoder,
            entity_texts=self._should_read_entity_texts(config),
            directed=directed,
            cache=self.cache,
            progress=self.progress,
            cancelled=self.cancelled,
        )

    def build_text_features(self, config: RetrieverConfig) -> TextFeatures:
        """Text features of the graph alone; ``entity_texts`` resolved."""
        return encode_graph_texts(
            self.snapshot,
            self.encoder,
            entity_texts=self._should_read_entity_texts(config),
            cache=self.cache,
            progress=self.progress,
            cancelled=self.cancelled,
        )

    def _should_read_entity_texts(self, config: RetrieverConfig) -> bool:
        small = self.snapshot.num_entities <= _ENTITY_TEXTS
        return config.entity_texts == "yes" or (config.entity_texts == "auto" and small)


class Learning(Protocol):
    """A model with its examples: what the loop trains.

    Attributes:
        model: initialised; trained in place.
        size: training examples.
        score_name: what ``score`` measures, for progress and the manifest.
    """

    @property
    def model(self) -> nn.Module: ...  # noqa: D102 - said above

    @property
    def size(self) -> int: ...  # noqa: D102

    @property
    def score_name(self) -> str: ...  # noqa: D102

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """The loss of one batch.

        Args:
            chosen: indices of training examples, int64 [B].
        """
        ...

    def score(self, cancelled: Callable[[], bool]) -> float:
        """The dev score of the model as it stands, higher is better; decides which epoch is kept."""
        ...


class Task(Learning, Protocol):
    """The learning of a retriever.

    Attributes:
        entity_texts: whether entity labels are among the features.
    """

    @property
    def entity_texts(self) -> bool: ...  # noqa: D102 - said above

    def compute_fingerprint(self) -> bytes:
        """Digest of the examples, so that only the same training is resumed."""
        ...

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """The trained retriever on the training graph, for dev metrics; what it computes stays in ``cache``."""
        ...


@runtime_checkable
class Rated(Protocol):
    """A task whose parameters do not all learn at the same rate."""

    def list_parameter_groups(self) -> list[dict[str, Any]]:
        """What the optimizer is given: parameters with their rates."""
        ...


@runtime_checkable
class Measured(Protocol):
    """A task that says more of a step than its loss; every step is recorded in the checkpoint's ``curves.json``."""

    @property
    def measures(self) -> Mapping[str, float]:
        """Of the last batch."""
        ...


@runtime_checkable
class Staged(Protocol):
    """A task that another follows, on the same model."""

    def get_next_stage(self) -> tuple[Task, TrainingConfig] | None:
        """The next stage, when this one's best weights are in the model; None when there is none."""
        ...


@runtime_checkable
class Configured(Protocol):
    """A task that is trained by other settings than those of the whole training."""

    @property
    def settings(self) -> TrainingConfig:
        """As the training loop reads them."""
        ...


@runtime_checkable
class SelfTrained(Protocol):
    """A model that another loop than ours trains; what is said of :class:`Task` holds here too."""

    @property
    def model(self) -> nn.Module: ...  # noqa: D102 - see Task

    @property
    def score_name(self) -> str: ...  # noqa: D102

    @property
    def entity_texts(self) -> bool: ...  # noqa: D102

    def train_model(self, resume: Path, key: str) -> tuple[TrainingState, list[dict[str, float]]]:
        """Train it to the end, and every measured step.

        Args:
            resume: directory of what a stopped training goes on from.
            key: names everything the training depends on; what was left under another key is ignored.

        Raises:
            Cancelled: somebody pressed Stop; the next call goes on.
        """
        ...

    def compute_fingerprint(self) -> bytes: ...  # noqa: D102

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever: ...  # noqa: D102


class Recipe(Protocol):
    """Makes the task of one method."""

    def __call__(
        self, work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
    ) -> Task | SelfTrained:
        """Cut examples from the labelled questions and initialise the model (torch is seeded).

        Args:
            labels: of both splits.
            simple: walks never come back to their topic.
        """
        ...
