"""All methods: the folders that are listed here, and those of plug-ins (docs/plug-ins.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from retrieval import config as configs
from retrieval import plugins
from retrieval.config import InferenceOptions, Setting, TrainingConfig
from retrieval.errors import ConfigError, MethodError
from retrieval.methods.spec import MethodSpec

#: The folders of the methods, in the order in which people choose among them.
FOLDERS = (
    "rel_rag_path",
    "rel_rag_triple",
    "rapl",
    "reg_triple",
    "reg_entity",
    "reg_path",
    "inses",
    "graph_s3",
    "text_rag",
    "router",
    "llm_only",
    "llm_cot",
)


def read(folders: Iterable[str]) -> Mapping[str, MethodSpec]:
    """The methods of some folders by name, in their order."""
    specs: list[MethodSpec] = [import_module(f"retrieval.methods.{folder}.spec").SPEC for folder in folders]
    return MappingProxyType({spec.name: spec for spec in specs})


@cache
def load_plugin_methods() -> tuple[plugins.Plugin, ...]:
    """The methods of plug-ins, those that cannot be used too."""
    return plugins.load_plugins(plugins.METHODS, check_spec, reserved=read(FOLDERS).keys(), light=True)


def check_spec(name: str, spec: object) -> None:
    """Refuse what cannot be listed as a method of this name.

    Raises:
        ConfigError: it is no ``MethodSpec``, has another name, or its settings cannot be described.
    """
    if not isinstance(spec, MethodSpec):
        raise ConfigError(f"It is of type {type(spec).__name__} and not a MethodSpec.")
    if spec.name != name:
        raise ConfigError(f"The method's name is {spec.name!r}, that of its entry point {name!r}.")
    if spec.config is not None and not (spec.task or spec.train):
        raise ConfigError("It has settings of a training, but neither `task` nor `train`.")
    configs.describe(spec.options)
    for preset in spec.asking.values():
        configs.parse(spec.options, f"{name} has no inference setting", preset)
    if spec.config is not None:
        configs.describe(spec.config)
        for preset in spec.presets.values():
            configs.parse(spec.config, f"{name} has no setting", preset)


#: Every method by its name.
METHODS: Mapping[str, MethodSpec] = MappingProxyType({**read(FOLDERS), **plugins.select_usable(load_plugin_methods())})

#: Methods that learn from questions.
TRAINED = frozenset(name for name, spec in METHODS.items() if spec.trained)

#: Methods whose checkpoints are retrievers of relation paths.
RETRIEVERS = frozenset(name for name, spec in METHODS.items() if spec.retriever)

#: The method that is asked where nothing else is said.
DEFAULT = "rel-rag-path"


def get_method(name: str) -> MethodSpec:
    """The method of that name.

    Raises:
        MethodError: there is none.
    """
    if name not in METHODS:
        hint = plugins.explain_missing(load_plugin_methods(), name, METHODS)
        raise MethodError(f"No method is called {name!r}.", hint=hint)
    return METHODS[name]


def get_trained_method(name: str) -> MethodSpec:
    """The method of that name, which learns from questions.

    Raises:
        MethodError: there is none, or it does not.
    """
    if name not in TRAINED:
        known = ", ".join(sorted(TRAINED))
        raise MethodError(f"No trainable method is called {name!r}.", hint=f"There is: {known}.")
    return METHODS[name]


def parse(name: str, settings: Mapping[str, Any] | None = None) -> TrainingConfig:
    """Typed settings of a training from plain JSON; what is not given has its default, or what ``preset`` says.

    Raises:
        MethodError: the method is unknown or has no training.
        ConfigError: a key or the preset is unknown (the nearest known one is named), or a value has a wrong
            type or range.
    """
    spec = get_trained_method(name)
    assert spec.config is not None, "trained methods have settings"
    values = _expand_preset(name, spec.presets, settings or {})
    return configs.parse(spec.config, f"{name} has no setting", values)


def parse_options(name: str, settings: Mapping[str, Any] | None = None) -> InferenceOptions:
    """Settings for asking, like :func:`parse`; ``preset`` is of ``MethodSpec.asking``.

    Raises:
        MethodError: the method is unknown.
        ConfigError: a key is unknown (those that exist are named), or a value has a wrong type or range.
    """
    spec = get_method(name)
    values = _expand_preset(name, spec.asking, settings or {})
    return configs.parse(spec.options, f"{name} has no inference setting", values)


def describe(name: str) -> tuple[Setting, ...]:
    """The settings of a method's training with defaults, ranges and what they do.

    Raises:
        MethodError: the method is unknown or has no training.
    """
    spec = get_trained_method(name)
    assert spec.config is not None, "trained methods have settings"
    return configs.describe(spec.config)


def describe_options(name: str) -> tuple[Setting, ...]:
    """The settings for asking, like :func:`describe`.

    Raises:
        MethodError: the method is unknown.
    """
    return configs.describe(get_method(name).options)


def list_untrained_options(name: str) -> tuple[str, ...]:
    """The names of those settings for asking that a method has without a checkpoint too.

    Raises:
        MethodError: the method is unknown.
    """
    return tuple(setting.name for setting in configs.describe(get_method(name).untrained_options))


def _expand_preset(
    method: str, presets: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The settings on top of those of their preset."""
    if "preset" not in settings:
        return settings
    name = settings["preset"]
    if not isinstance(name, str) or name not in presets:
        known = f"There is: {', '.join(sorted(presets))}." if presets else "The method has none."
        raise ConfigError(f"{method} has no preset {name!r}.", hint=known)
    return {**presets[name], **{key: value for key, value in settings.items() if key != "preset"}}
