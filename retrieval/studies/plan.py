"""What a study trains and tests: every variant on every set, share and seed. Plain Python; unknown keys are refused."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any

from retrieval.errors import ConfigError
from retrieval.limits import DEFAULT_BUDGET

_FILE = re.compile(r"[A-Za-z0-9(][A-Za-z0-9 _,.+()=@-]{0,59}")
_NOT_FILE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class DataSet:
    """A graph with questions.

    Attributes:
        graph: directory of the snapshot.
        questions: JSONL with splits; divided by hash where it has none.
        labels: relation paths of the questions, JSONL: learned from by variants that name no strategy, and telling
            how new a test question is.
    """

    graph: Path
    questions: Path
    labels: Path | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to train and to ask.

    Attributes:
        config: settings for training that differ from the defaults.
        options: settings for asking that differ from the defaults.
        strategy: how questions are labelled; None takes what the data set brings, or training's own default.
        prompt: of the strategy ``llm``: the paper whose prompt is used.
        trained: false asks the zero-shot retriever.
        of: the variant whose checkpoints are asked; None trains its own.
        budget, reasoner: in place of the study's.
    """

    method: str
    config: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    strategy: str | None = None
    prompt: str | None = None
    trained: bool = True
    of: str | None = None
    budget: int | None = None
    reasoner: str | None = None


@dataclass(frozen=True, slots=True)
class StudyConfig:
    """A study.

    Attributes:
        variants: by name.
        train: names of the sets trained on; all when empty.
        test: names of the sets each checkpoint is tested on; the one it was trained on when empty.
        fractions: shares of the training questions, above 0 to 1; smaller samples lie within larger ones.
        seeds: of sampling, training and asking.
        split: tested on.
        budget, topics, subgraphs, answers, reasoner, limit: how questions are asked, as in ``evaluate``.
        baseline: the variant that the others' relative gains are measured against.
    """

    data: Mapping[str, DataSet]
    variants: Mapping[str, Variant]
    train: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    fractions: tuple[float, ...] = (1.0,)
    seeds: tuple[int, ...] = (0,)
    split: str = "test"
    budget: int = DEFAULT_BUDGET
    topics: str = "given"
    subgraphs: str = "own"
    answers: str = "all"
    reasoner: str = "extractive"
    limit: int | None = None
    baseline: str | None = None

    def __post_init__(self) -> None:
        for what, names, known in (
            ("data set", (*self.train, *self.test), self.data),
            ("variant", (self.baseline,) if self.baseline else (), self.variants),
        ):
            for name in names:
                if name not in known:
                    raise ConfigError(f"The study has no {what} {name!r}.", hint=f"It has: {', '.join(known)}.")
        for name, variant in self.variants.items():
            self._check_variant(name, variant)
        for share in self.fractions:
            if not 0 < share <= 1:
                raise ConfigError(f"A fraction is {share}.", hint="It must be above 0 and at most 1.")
        for name, value in (
            ("topics", ("given", "linked")),
            ("subgraphs", ("own", "whole")),
            ("answers", ("all", "in-graph")),
        ):
            if getattr(self, name) not in value:
                raise ConfigError(f"{name} is {getattr(self, name)!r}.", hint=f"Choose {' or '.join(value)}.")
        for name in ("data", "variants", "fractions", "seeds"):
            if not getattr(self, name):
                raise ConfigError(f"The study has no {name}.", hint=f"Name at least one under {name!r}.")

    def _check_variant(self, name: str, variant: Variant) -> None:
        if variant.prompt is not None and variant.strategy != "llm":
            raise ConfigError(
                f"The variant {name!r} has a prompt.",
                hint='Prompts are of the strategy "llm": name it, or leave it out.',
            )
        if variant.of is None:
            return
        base = self.variants.get(variant.of)
        if base is None or base.of is not None or not base.trained or base.method != variant.method:
            raise ConfigError(
                f"The variant {name!r} asks the checkpoints of {variant.of!r}.",
                hint="Name a variant of the same method that trains its own.",
            )
        if variant.config or variant.strategy:
            raise ConfigError(
                f"The variant {name!r} trains nothing.", hint='Leave out "config" and "strategy", or "of".'
            )


@dataclass(frozen=True, slots=True)
class Cell:
    """One training tested on one set. Names are those of the study."""

    train: str
    variant: str
    fraction: float
    seed: int
    test: str

    @property
    def training(self) -> str:
        """A directory's name for the training."""
        return f"{make_folder_name(self.train)}--{make_folder_name(self.variant)}--{self.fraction:g}--{self.seed}"


def make_folder_name(name: str) -> str:
    """A name as part of a file's; one that could not be is shortened and told apart by a hash."""
    if _FILE.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{_NOT_FILE.sub('_', name)[:30]}~{digest}"


def list_cells(config: StudyConfig) -> list[Cell]:
    """Every cell of a study, those of one training side by side."""
    sets = config.train or tuple(config.data)
    return [
        Cell(train, variant, fraction, seed, test)
        for train, variant, fraction, seed in product(sets, config.variants, config.fractions, config.seeds)
        for test in (config.test or (train,))
    ]


def read(path: Path) -> StudyConfig:
    """A study from a JSON file; paths in it are relative to the file.

    Raises:
        ConfigError: the file cannot be read, a key is unknown (the nearest known one is named) or a value is wrong.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"The study {path} cannot be read: {error}.") from error
    return parse(raw, path.parent)


def parse(raw: Any, home: Path) -> StudyConfig:
    """A study from plain JSON. See :func:`read`."""
    body = _check_settings(raw, StudyConfig, "A study")
    for name, kind in (("train", str), ("test", str), ("fractions", (int, float)), ("seeds", int)):
        if name in body:
            body[name] = _list(body[name], kind, name)
    for name, kinds in (("budget", int), ("split", str), ("reasoner", str), ("limit", (int, type(None)))):
        if name in body and (not isinstance(body[name], kinds) or isinstance(body[name], bool)):
            raise ConfigError(f"{name} is {body[name]!r}.", hint="See the documentation of studies.")
    data = {}
    for name, item in _require_object(body["data"], "data").items():
        files = _check_settings(item, DataSet, f"The data set {name!r}")
        data[name] = DataSet(**{key: home / str(value) for key, value in files.items() if value is not None})
    body["data"] = data
    variants = _require_object(body["variants"], "variants").items()
    body["variants"] = {
        name: Variant(**_check_settings(item, Variant, f"The variant {name!r}")) for name, item in variants
    }
    return StudyConfig(**body)


def _check_settings(raw: Any, cls: type, who: str) -> dict[str, Any]:
    known = {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(cls)}
    for key in _require_object(raw, who):
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(known)}."
            raise ConfigError(f"{who} has no setting {key!r}.", hint=hint)
    for key, needed in known.items():
        if needed and key not in raw:
            raise ConfigError(f"{who} lacks {key!r}.", hint=f"Needed are: {', '.join(k for k in known if known[k])}.")
    return dict(raw)


def _require_object(raw: Any, who: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ConfigError(f"{who} is no JSON object.", hint='Write settings as {"name": value}.')
    return raw


def _list(raw: Any, kind: type | tuple[type, ...], name: str) -> tuple[Any, ...]:
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise ConfigError(f"{name} is {raw!r}.", hint="Write a list.")
    for value in raw:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ConfigError(f"{name} has {value!r}.", hint="It is of the wrong type.")
    return tuple(raw)
