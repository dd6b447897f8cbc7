"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from retrieval.answering.loading import load_encoder
from retrieval.config import parse_pairs
from retrieval.errors import ConfigError
from retrieval.kg.model.forms import find_model
from retrieval.kg.readers.catalog import FORMATS
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.readers.rows_layout import ROLES
from retrieval.limits import DEFAULT_BUDGET
from retrieval.methods.registry import DEFAULT
from retrieval.metrics.guarantee import LEAST, MOST
from retrieval.training.manifest import read_manifest

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder

Repeated = Annotated[tuple[str, ...], Parameter(show_default=False)]
Settings = tuple[tuple[str, str | int | float | bool], ...]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Encoding:
    """How texts are encoded.

    Attributes:
        encoder: text encoder (default: CLEW_ENCODER, or the built-in one).
        device: where it computes (default: CLEW_DEVICE, or auto).
    """

    encoder: str | None = None
    device: Literal["auto", "cpu", "cuda"] | None = None

    def load(self) -> Encoder:
        """The encoder.

        Raises:
            ConfigError: there is none of that name.
        """
        return load_encoder(self.encoder, self.device)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Which questions.

    Attributes:
        questions: JSONL, gzipped or not.
        split: only the questions of this split.
    """

    questions: Path
    split: str | None = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Answering:
    """How questions are answered.

    Attributes:
        checkpoint: a trained retriever; without it, relations are compared by text.
        method: the retriever when there is no checkpoint.
        reasoner: what reads the retrieved paths; of llm-program a language model writes the program.
        budget: distinct facts retrieved.
        seed: of what is drawn at random.
        settings: NAME=VALUE, a setting of the retriever for asking; repeatable.
        foreign: a checkpoint of a graph of other relations: compare them by text in its place, or ask it all the same.
        at_most_wrong: answer only where at most so many of 100 answers are wrong, 1 to 50; calibrated at the first use.
    """

    checkpoint: Path | None = None
    method: str | None = None
    reasoner: Literal["extractive", "llm", "llm-program"] = "extractive"
    budget: int = DEFAULT_BUDGET
    seed: int = 0
    settings: Annotated[Repeated, Parameter(name="--set")] = ()
    foreign: Literal["zero-shot", "ask"] = "zero-shot"
    at_most_wrong: Annotated[int | None, Parameter(validator=Number(gte=LEAST, lte=MOST))] = None


#: A format of graphs, by its name in the catalog.
GraphFormat = Annotated[
    str | None, Parameter(name="--format", help=f"One of: {', '.join(FORMATS)}; detected when left out.")
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class TableOptions:
    """What is known of a file of rows; the rest is guessed.

    Attributes:
        delimiter: one character, or tab, comma, pipe.
        header: whether the first row names columns.
        encoding: of text that is not UTF-8, such as cp1252.
        columns: H,R,T: the columns of head, relation and tail, numbers from 0 or header names.
        model: file of a corrected data model, as `infer-model` prints it; CSVW metadata; an RML mapping.
    """

    fmt: GraphFormat = None
    delimiter: str | None = None
    header: bool | None = None
    encoding: str | None = None
    columns: str | None = None
    model: Path | None = None

    def build_options(self) -> ReadOptions:
        """What readers take.

        Raises:
            ConfigError: not three columns are named, or the model is not JSON.
        """
        columns = _parse_columns(self.columns)
        return ReadOptions(self.fmt, self.delimiter, self.header, self.encoding, columns, _read_model(self.model))


def _read_model(path: Path | None) -> Mapping[str, Any] | None:
    """The data model in a file."""
    if path is None:
        return None
    hint = "Start from what `infer-model` prints."
    try:
        text = path.read_text(encoding="utf-8")
        model = find_model(text) or json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is no data model ({error}).", hint=hint) from error
    if not isinstance(model, dict):
        raise ConfigError(f"{path} is no data model.", hint=hint)
    return model


def _parse_columns(text: str | None) -> dict[str, int | str] | None:
    """The columns of head, relation and tail, as ``2,0,1`` or ``subject,predicate,object`` names them."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise ConfigError(f"--columns {text!r} does not name three columns.", hint="Write --columns 0,1,2.")
    return {role: int(part) if part.isdigit() else part for role, part in zip(ROLES, parts, strict=True)}


def parse_settings(texts: tuple[str, ...]) -> Settings:
    """``name=value`` pairs; a value is a number, true or false where it reads as one.

    Raises:
        ConfigError: one is not of that form.
    """
    return parse_pairs(texts, "--set ")


def resolve_method(checkpoint: Path | None, method: str | None) -> str:
    """The method asked for: as named, else the checkpoint's own, else the default.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    if method is not None or checkpoint is None:
        return method or DEFAULT
    return read_manifest(checkpoint).method
