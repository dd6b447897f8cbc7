"""Which settings a method has: typed ones from plain JSON, and what each is. Unknown keys are refused."""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from retrieval.config.asking import (
    EntityOptions,
    GraphS3Options,
    InsesOptions,
    PathOptions,
    RaplOptions,
    RegPathOptions,
    RouterOptions,
    TextOptions,
    TripleOptions,
)
from retrieval.config.base import Checked, InferenceOptions, TrainingConfig
from retrieval.config.training import (
    GraphS3Config,
    RaplConfig,
    RegEntityConfig,
    RegPathConfig,
    RegTripleConfig,
    RelRagPathConfig,
    RelRagTripleConfig,
    RouterConfig,
)
from retrieval.errors import ConfigError, MethodError
from retrieval.types import Method

_STATIC: Mapping[str, Any] = {
    "hidden": 512,
    "history": False,
    "words": False,
    "texts": False,
    "skip": False,
    "norm": False,
    "composed": 0.0,
    "learning_rate": 1e-3,
    "batch_size": 10,
    "epochs": 15,
}

#: Named settings that others are given on top of: ``{"preset": "paper", "hidden": 256}``. ``paper`` is the form that
#: the method's paper describes, where it differs from the defaults (docs/adr/0002).
PRESETS: Mapping[Method, Mapping[str, Mapping[str, Any]]] = {
    Method.GRAPH_S3: {
        "paper": {
            "backend": "llm",
            "epochs": 3,
            "rl_epochs": 15,
            "rl_batch_size": 512,
            "batch_size": 16,
            "learning_rate": 1e-4,
            "rl_learning_rate": 1e-5,
            "dropout": 0.05,
        }
    },
    Method.REL_RAG_PATH: {"paper": {**_STATIC, "stop": "sum"}},
    Method.RAPL: {"paper": {**_STATIC, "stop": "mlp"}},
}

#: Methods that are trained, and their settings.
CONFIGS: dict[Method, type[TrainingConfig]] = {
    Method.GRAPH_S3: GraphS3Config,
    Method.RAPL: RaplConfig,
    Method.REG_ENTITY: RegEntityConfig,
    Method.REG_PATH: RegPathConfig,
    Method.REG_TRIPLE: RegTripleConfig,
    Method.REL_RAG_PATH: RelRagPathConfig,
    Method.REL_RAG_TRIPLE: RelRagTripleConfig,
    Method.ROUTER: RouterConfig,
}

#: Settings for asking; a method that is not named has none.
OPTIONS: dict[Method, type[InferenceOptions]] = {
    Method.GRAPH_S3: GraphS3Options,
    Method.INSES: InsesOptions,
    Method.RAPL: RaplOptions,
    Method.REG_ENTITY: EntityOptions,
    Method.REG_PATH: RegPathOptions,
    Method.REG_TRIPLE: TripleOptions,
    Method.REL_RAG_PATH: PathOptions,
    Method.REL_RAG_TRIPLE: TripleOptions,
    Method.ROUTER: RouterOptions,
    Method.TEXT_RAG: TextOptions,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as people see it. ``type`` is bool, int, float, str or choice."""

    name: str
    type: str
    default: bool | int | float | str | None
    about: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    above: float | None = None
    below: float | None = None


def parse(method: Method | str, settings: Mapping[str, Any] | None = None) -> TrainingConfig:
    """Typed settings from plain JSON; what is not given has its default, or what ``preset`` says.

    Raises:
        MethodError: the method is unknown or has no training.
        ConfigError: a key or the preset is unknown (the nearest known one is named), or a value has a wrong
            type or range.
    """
    return _parsed(_of(method), f"{method} has no setting", _expanded(method, settings or {}))


def parse_options(method: Method | str, settings: Mapping[str, Any] | None = None) -> InferenceOptions:
    """Settings for asking, like :func:`parse`.

    Raises:
        MethodError: the method is unknown.
        ConfigError: a key is unknown (those that exist are named), or a value has a wrong type or range.
    """
    return _parsed(_options_of(method), f"{method} has no inference setting", settings)


def _expanded(method: Method | str, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings on top of those of their preset."""
    if "preset" not in settings:
        return settings
    presets = PRESETS.get(Method(method), {})
    name = settings["preset"]
    if not isinstance(name, str) or name not in presets:
        known = f"There is: {', '.join(sorted(presets))}." if presets else "The method has none."
        raise ConfigError(f"{method} has no preset {name!r}.", hint=known)
    return {**presets[name], **{key: value for key, value in settings.items() if key != "preset"}}


def as_json(config: TrainingConfig | InferenceOptions) -> dict[str, Any]:
    """The settings as plain JSON, in the order they are declared."""
    values = asdict(config)
    return {f.name: values[f.name] for f in fields(config)}


def describe(method: Method | str) -> tuple[Setting, ...]:
    """The settings of a method with defaults, ranges and what they do.

    Raises:
        MethodError: the method is unknown or has no training.
    """
    return _described(_of(method))


def describe_options(method: Method | str) -> tuple[Setting, ...]:
    """The settings for asking, like :func:`describe`.

    Raises:
        MethodError: the method is unknown.
    """
    return _described(_options_of(method))


def _described(cls: type[Checked]) -> tuple[Setting, ...]:
    hints = get_type_hints(cls)
    found = []
    for f in fields(cls):
        hint = hints[f.name]
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        kind, default = "choice" if choices else hint.__name__, getattr(cls(), f.name)
        found.append(Setting(f.name, kind, default, choices=choices, **f.metadata))
    return tuple(found)


C = TypeVar("C", bound=Checked)


def _parsed(cls: type[C], complaint: str, settings: Mapping[str, Any] | None) -> C:
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        if key not in hints:
            near = difflib.get_close_matches(key, hints, n=1, cutoff=0.4)
            known = f"Known are: {', '.join(sorted(hints))}." if hints else "It has none."
            raise ConfigError(f"{complaint} {key!r}.", hint=f"Did you mean {near[0]!r}?" if near else known)
        values[key] = _typed(key, hints[key], value)
    return cls(**values)


def _options_of(method: Method | str) -> type[InferenceOptions]:
    try:
        return OPTIONS.get(Method(method), InferenceOptions)
    except ValueError:
        known = ", ".join(Method)
        raise MethodError(f"No method is called {str(method)!r}.", hint=f"There is: {known}.") from None


def _of(method: Method | str) -> type[TrainingConfig]:
    try:
        return CONFIGS[Method(method)]
    except (KeyError, ValueError):
        known = ", ".join(sorted(CONFIGS))
        raise MethodError(
            f"No trainable method is called {str(method)!r}.", hint=f"There is: {known}."
        ) from None


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
