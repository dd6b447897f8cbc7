"""The interface of what builds one file of weights, and the figures that it measures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import DataSource, TrainingData

Examples = TypeVar("Examples")
Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class FigureRow:
    """Figures of one group of questions, such as a suite; shares are between 0 and 1."""

    group: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HeldOutFigures:
    """Figures of weights that were fitted without the graphs that they are measured on.

    Attributes:
        about: how they were measured, as Markdown.
        rows: one for each group; all have the same figures.
    """

    about: str
    rows: tuple[FigureRow, ...]


class WeightBuilder(ABC, Generic[Examples, Built]):
    """Builds one file of weights: reads the data once, fits with all of it, and measures with parts left out.

    Attributes:
        name: the builder's name on the command line.
        file: the file, or folder, that comes with Clew.
        about: what the weights are for, in one line.
        page: the name of the model card beside the file.
        sources: the data that it reads.
    """

    name: ClassVar[str]
    file: ClassVar[Path]
    about: ClassVar[str]
    page: ClassVar[str] = "README.md"
    sources: ClassVar[tuple[DataSource, ...]]

    @abstractmethod
    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> Examples:
        """Read the data and compute what is learned from; takes most of the time."""

    @abstractmethod
    def build(self, examples: Examples, seed: int) -> Built:
        """Fit the weights with all examples. The same examples and seed give the same weights."""

    @abstractmethod
    def evaluate(self, examples: Examples, seed: int) -> HeldOutFigures:
        """Measure weights that are fitted in the same way, with whole graphs left out."""

    @abstractmethod
    def write(self, built: Built, out: Path) -> None:
        """Write the weights where :attr:`file` says, or elsewhere."""
