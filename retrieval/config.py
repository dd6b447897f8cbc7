"""Typed settings of each method. Unknown keys are refused with the nearest known one."""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from retrieval.errors import ConfigError, MethodError
from retrieval.types import Method


@dataclass(frozen=True, slots=True)
class RelRagPathConfig:
    """Settings of ``rel-rag-path``. Values in brackets are the paper's (REL-RAG App. F.1).

    Attributes:
        hidden: size of triple states and queries; 128 trains in minutes on two cores [512].
        dropout: rate after each first layer [0.2].
        skip: add a projection of phi(h, r, t) to the mean of the two GCNs [no].
        history: condition the query on the path so far [no] (docs/adr/0002).
        entity_texts: read the entities' labels as text features; ``auto`` does up to 20,000 entities. On
            MetaQA (43,234) they change nothing but the training time.
        max_hops: longest path, in labels and in retrieval [not said].
        neighbours: triples read per entity and direction by the second layer while training.
        arcs_per_relation: candidates drawn per entity and directed relation while training.
        learning_rate: of Adam [1e-3].
        batch_size: questions a step [10].
        epochs: at most [15].
        questions_per_epoch: larger training sets are visited in parts, so that checkpoints come often.
        patience: epochs without a better dev score before training stops.
        path_weight, first_weight: of the path loss (eq. 11) and the first-triple loss (eq. 14) [1, 1].
        similar_relations: cosine of question and relation above which a first relation also counts as
            positive (eq. 13 without an LLM).
        state_budget_mb: triple states are kept on disk up to this size, else computed on demand.
        seed: of everything random in training.
    """

    hidden: int = 128
    dropout: float = 0.2
    skip: bool = True
    history: bool = True
    entity_texts: Literal["auto", "yes", "no"] = "auto"
    max_hops: int = 3
    neighbours: int = 16
    arcs_per_relation: int = 4
    learning_rate: float = 2e-3
    batch_size: int = 64
    epochs: int = 15
    questions_per_epoch: int = 6000
    patience: int = 3
    path_weight: float = 1.0
    first_weight: float = 1.0
    similar_relations: float = 0.8
    state_budget_mb: int = 4096
    seed: int = 0

    def __post_init__(self) -> None:
        for name in (
            "hidden", "max_hops", "neighbours", "arcs_per_relation", "batch_size", "epochs",
            "questions_per_epoch", "patience",
        ):  # fmt: skip
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}.", hint="It must be at least 1.")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout is {self.dropout}.", hint="It must be in [0, 1).")
        if self.learning_rate <= 0:
            raise ConfigError(f"learning_rate is {self.learning_rate}.", hint="It must be above 0.")


#: Methods that are trained, and their settings.
CONFIGS: dict[Method, type[RelRagPathConfig]] = {Method.REL_RAG_PATH: RelRagPathConfig}


def parse(method: Method | str, settings: Mapping[str, Any] | None = None) -> RelRagPathConfig:
    """Typed settings from plain JSON; what is not given has its default.

    Raises:
        MethodError: the method is unknown or has no training.
        ConfigError: a key is unknown (the nearest known one is named), or a value has a wrong type or range.
    """
    try:
        cls = CONFIGS[Method(method)]
    except (KeyError, ValueError):
        known = ", ".join(sorted(CONFIGS))
        raise MethodError(
            f"No trainable method is called {str(method)!r}.", hint=f"There is: {known}."
        ) from None
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        if key not in hints:
            near = difflib.get_close_matches(key, hints, n=1, cutoff=0.4)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(sorted(hints))}."
            raise ConfigError(f"{method} has no setting {key!r}.", hint=hint)
        values[key] = _typed(key, hints[key], value)
    return cls(**values)


def as_json(config: RelRagPathConfig) -> dict[str, Any]:
    """The settings as plain JSON, in the order they are declared."""
    values = asdict(config)
    return {f.name: values[f.name] for f in fields(config)}


def _typed(key: str, hint: Any, value: Any) -> Any:
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            expected = ", ".join(map(repr, get_args(hint)))
            raise ConfigError(f"{key} is {value!r}.", hint=f"Expected one of {expected}.")
        return value
    if get_origin(hint) in (Union, types.UnionType):
        if value is None:
            return None
        return _typed(key, next(h for h in get_args(hint) if h is not type(None)), value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{key} is {value!r}.", hint=f"Expected {hint.__name__}.")
    return value
