"""Typed settings: what they are made of, read from plain JSON and described. Those of a method are in its ``spec``."""

from __future__ import annotations

import difflib
import json
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from retrieval.errors import ConfigError

T = TypeVar("T")


def make_setting(
    default: T,
    about: str,
    *,
    least: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Callable[[], tuple[str, ...]] | None = None,
) -> T:
    """A field of a settings class: its default, what it does, and its range.

    Args:
        default: used when nothing is given.
        about: one sentence for people; the paper's value in brackets where it differs or is worth knowing.
        least: smallest value allowed; 1 for whole numbers when nothing is said.
        above: values must be larger than this.
        below: values must be smaller than this.
        choices: lists the values of a string, where they depend on the installation; others are a ``Literal``.
    """
    if least is None and above is None and isinstance(default, int) and not isinstance(default, bool):
        least = 1
    metadata = {"about": about, "least": least, "above": above, "below": below, "choices": choices}
    setting_field: T = field(default=default, metadata=metadata)
    return setting_field


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


DECOMPOSE = (
    'Ask a question within a question ("where was the composer of X raised?") in two steps as well: what the '
    "description means, and the rest of that [no]."
)


@dataclass(frozen=True, slots=True)
class EvidenceOptions(InferenceOptions):
    """Settings of what a reasoner reads, of every method that retrieves facts; values in brackets are the papers'."""

    evidence: Literal["auto", "chains", "paths", "triples", "shuffled-triples"] = make_setting(
        "auto",
        "What the reasoner reads. auto: relation paths executed on the whole graph; of a method that ranks triples, or "
        "an agent, a language model reads chains. The others hold what was retrieved and nothing else: re-organised "
        "into chains [ReG], the paths [RAPL, REL-RAG], the triples in their order [SubgraphRAG], or shuffled "
        "[RAPL, Figure 2].",
    )
    chain_length: int = make_setting(
        3,
        "L, most hops of the chains that triples are re-organised into; 0 for no limit [2, for CWQ no limit].",
        least=0,
    )
    turning_chains: bool = make_setting(
        True,
        "Chains may change direction, as paths do that walk a relation backward; without, Algorithm 1 grows them left "
        "to right and right to left apart [no].",
    )
    merge_parallel: bool = make_setting(
        False,
        "Facts that lead from one entity to the same other one are read as one triple (h, r1 ⊕ r2, t), and count once "
        "among the top K [ReG@Entity yes, others no].",
    )
    chains_read: int = make_setting(
        100, "Chains that a language model reads, at most; 0 for no limit [no limit].", least=0
    )
    characters_read: int = make_setting(
        24_000,
        "Characters of evidence that a language model reads, at most; 0 for no limit [no limit].",
        least=0,
    )
    joins: bool = make_setting(
        True,
        "Where a question names several topics, what relation paths of all of them reach together is the answer; "
        "without, that of the topic whose relation paths are surest [no].",
    )


@dataclass(frozen=True, slots=True)
class UntrainedOptions(EvidenceOptions):
    """Settings of the zero-shot retriever, whichever method it stands in for."""

    decompose: bool = make_setting(True, DECOMPOSE)


@dataclass(frozen=True, slots=True)
class TrainedOptions(EvidenceOptions):
    """Settings of every method whose checkpoint ranks relation paths, when it is asked."""

    text_fit: bool = make_setting(
        True,
        "A second opinion on what the checkpoint says: how like the question the texts of a relation path's relations "
        "are. It ranks relation paths too, and tells that the graph does not hold what was asked [no].",
    )


@dataclass(frozen=True, slots=True)
class DoubtingOptions(TrainedOptions):
    """Settings of those that learn relation paths: their checkpoint knows a question that is worded as none was."""

    by_words: bool = make_setting(
        True,
        "Where the checkpoint doubts every relation path, as it does of words that no training question had, or has "
        "not learned when to, the zero-shot retriever has a say too: it reads what relations are called [no].",
    )
    decompose: bool = make_setting(True, DECOMPOSE)


@dataclass(frozen=True, slots=True)
class TrainingConfig(Checked):
    """Settings that every trained method has."""

    learning_rate: float = make_setting(1e-3, "Of Adam.", above=0)
    batch_size: int = make_setting(64, "Questions a step.")
    epochs: int = make_setting(15, "At most so many epochs.")
    questions_per_epoch: int = make_setting(
        6000,
        "Larger training sets are visited in parts, so that checkpoints come often; 0 for no limit [no limit].",
        least=0,
    )
    draws_per_epoch: int = make_setting(
        1536,
        "Smaller training sets are visited several times until an epoch has so many draws; 0 visits each question "
        "once [once].",
        least=0,
    )
    patience: int = make_setting(3, "Epochs without a better dev score before training stops.")
    averaging: float = make_setting(
        0.0,
        "Ask with a running average of the weights, of which each step leaves so much; 0 asks with the weights "
        "themselves.",
        least=0,
        below=1,
    )
    seed: int = make_setting(0, "Of everything random in training.", least=0)


MASK_NAMES = (
    "Put X for the topic's name and Y for others' before a question is encoded, so that it is the relations asked for "
    "that are; one draw in ten has it as written [no]."
)

SELECTION = "Which epoch is kept: that of the best dev score, or that of the least dev loss [loss]."

#: An epoch as papers count it: every training question once.
ALL_DRAWN: Mapping[str, Any] = {"questions_per_epoch": 0, "draws_per_epoch": 0}


@dataclass(frozen=True, slots=True)
class RetrieverConfig(TrainingConfig):
    """Settings of every method that is trained to find something in a graph."""

    max_hops: int = make_setting(3, "Longest relation path, in labels and in retrieval.")
    entity_texts: Literal["auto", "yes", "no"] = make_setting(
        "auto",
        "Read the entities' labels as text features; auto does up to 20,000 entities. "
        "On MetaQA (43,234) they change nothing but the training time.",
    )


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


def export_settings(config: TrainingConfig | InferenceOptions) -> dict[str, Any]:
    """The settings as plain JSON, in the order they are declared."""
    return asdict(config)


def describe(cls: type[Checked]) -> tuple[Setting, ...]:
    """The settings of a class with defaults, ranges and what they do, in the order they are declared."""
    hints = get_type_hints(cls)
    settings = []
    for f in fields(cls):
        hint, rule = hints[f.name], dict(f.metadata)
        choices = _list_choices(hint, rule.pop("choices"))
        kind, default = "choice" if choices else hint.__name__, getattr(cls(), f.name)
        settings.append(Setting(f.name, kind, default, choices=choices, **rule))
    return tuple(settings)


C = TypeVar("C", bound=Checked)


def parse(cls: type[C], complaint: str, settings: Mapping[str, Any] | None = None) -> C:
    """Typed settings from plain JSON; what is not given has its default.

    Args:
        complaint: how an error about an unknown key begins; the key follows.

    Raises:
        ConfigError: a key is unknown (the nearest known one is named), or a value has a wrong type or range.
    """
    hints = get_type_hints(cls)
    rules = {f.name: f.metadata for f in fields(cls)}
    values: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        if key not in hints:
            near = difflib.get_close_matches(key, hints, n=1, cutoff=0.4)
            known = f"Known are: {', '.join(sorted(hints))}." if hints else "It has none."
            raise ConfigError(f"{complaint} {key!r}.", hint=f"Did you mean {near[0]!r}?" if near else known)
        values[key] = _convert_value(key, hints[key], value, _list_choices(hints[key], rules[key].get("choices")))
    return cls(**values)


def _list_choices(hint: Any, listed: Callable[[], tuple[str, ...]] | None) -> tuple[str, ...]:
    """The values that a setting may have; empty where others may be given."""
    if listed is not None:
        return listed()
    return get_args(hint) if get_origin(hint) is Literal else ()


def parse_pairs(texts: Iterable[str], prefix: str = "") -> tuple[tuple[str, str | int | float | bool], ...]:
    """``name=value`` pairs; a value is a number, true or false where it reads as one.

    Args:
        texts: one of each.
        prefix: what stands before each, for the error.

    Raises:
        ConfigError: one is not of that form.
    """
    parsed = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value):
            raise ConfigError(f"{prefix}{text!r} is not a setting.", hint=f"Write {prefix}NAME=VALUE.")
        try:
            read = json.loads(value)
        except ValueError:
            read = value
        parsed.append((name.strip(), read if isinstance(read, (int, float, bool)) else value.strip()))
    return tuple(parsed)


def _convert_value(key: str, hint: Any, value: Any, choices: tuple[str, ...] = ()) -> Any:
    if choices:
        if value not in choices:
            raise ConfigError(f"{key} is {value!r}.", hint=f"Expected one of {', '.join(map(repr, choices))}.")
        return value
    if get_origin(hint) in (Union, types.UnionType):
        if value is None:
            return None
        inner = next(h for h in get_args(hint) if h is not type(None))
        return _convert_value(key, inner, value, _list_choices(inner, None))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{key} is {value!r}.", hint=f"Expected {hint.__name__}.")
    return value
