"""Typed settings of each method. Unknown keys are refused with the nearest known one. Plain Python."""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from retrieval.errors import ConfigError, MethodError
from retrieval.types import Method

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
class _Checked:
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
class InferenceOptions(_Checked):
    """Settings of a trained retriever when it is asked; a method that has any has a subclass of this."""


@dataclass(frozen=True, slots=True)
class TrainingConfig(_Checked):
    """Settings that every trained method has."""

    max_hops: int = setting(3, "Longest relation path, in labels and in retrieval.")
    entity_texts: Literal["auto", "yes", "no"] = setting(
        "auto",
        "Read the entities' labels as text features; auto does up to 20,000 entities. "
        "On MetaQA (43,234) they change nothing but the training time.",
    )
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


@dataclass(frozen=True, slots=True)
class PathConfig(TrainingConfig):
    """Settings of the methods that learn paths. Values in brackets are the papers' (docs/adr/0002)."""

    hidden: int = setting(128, "Size of triple states and queries; 128 trains in minutes on two cores [512].")
    dropout: float = setting(0.2, "Rate after each first layer [0.2].", least=0, below=1)
    graph: Literal["line", "raw"] = setting(
        "line",
        "Encode triples on the line graph, or on the raw graph as REL-RAG's ablation does (section 5.3).",
    )
    skip: bool = setting(True, "Add a projection of phi(h, r, t) to the mean of the two GCNs [no].")
    history: bool = setting(True, "Condition the query on the path so far [no] (docs/adr/0002).")
    words: bool = setting(True, "Attend to the question's words at every step [no] (docs/adr/0002).")
    texts: bool = setting(True, "Add a bilinear form of question and relation text to the scores [no].")
    norm: bool = setting(True, "Layer norm of triple states, inner products divided by sqrt(hidden) [no].")
    stop: Literal["mlp", "sum"] = setting(
        "mlp", "STOP's state: an MLP of taken states and question [RAPL], or their sum [REL-RAG]."
    )
    neighbours: int = setting(16, "Triples read per entity and direction by the second layer while training.")
    arcs_per_relation: int = setting(4, "Candidates drawn per entity and directed relation while training.")
    learning_rate: float = setting(2e-3, "Of Adam [1e-3].", above=0)
    batch_size: int = setting(64, "Questions a step [10].")
    patience: int = setting(
        5, "Epochs without a better dev score before training stops; the last percent comes slowly."
    )
    path_weight: float = setting(1.0, "Of the path loss (REL-RAG eq. 11, RAPL eq. 6) [1].", least=0)
    first_weight: float = setting(1.0, "Of the first-triple loss (REL-RAG eq. 14, RAPL eq. 9) [1].", least=0)
    similar_relations: float = setting(
        0.8,
        "Cosine of question and relation above which a first relation also counts as positive "
        "(REL-RAG eq. 13, RAPL eq. 8, without a language model).",
    )
    composed: float = setting(
        1.0,
        "Questions of longer paths that are made of each training question on average, so that paths which no "
        "question has are followed too; English words [0] (docs/adr/0002).",
        least=0,
    )
    state_budget_mb: int = setting(
        4096, "Triple states are kept on disk up to this size in megabytes, else computed on demand."
    )


@dataclass(frozen=True, slots=True)
class RelRagPathConfig(PathConfig):
    """Settings of ``rel-rag-path`` (REL-RAG section 4.1, App. F.1)."""


@dataclass(frozen=True, slots=True)
class RaplConfig(PathConfig):
    """Settings of ``rapl`` (RAPL section 4.3, App. H)."""


@dataclass(frozen=True, slots=True)
class TripleConfig(TrainingConfig):
    """Settings of the methods that score the triples of a candidate subgraph."""

    fan_out: int = setting(
        32, "Candidate triples for each entity, relation and direction; a topic gives all of its own."
    )
    max_candidates: int = setting(10_000, "Candidate triples for each topic, at most.")
    words: bool = setting(True, "Read the question's words, not only the text's embedding [no].")
    learning_rate: float = setting(2e-3, "Of Adam [1e-3].", above=0)
    batch_size: int = setting(32, "Questions a step.")
    questions_per_epoch: int = setting(
        4000, "Larger training sets are visited in parts, so that checkpoints come often."
    )


@dataclass(frozen=True, slots=True)
class RegTripleConfig(TripleConfig):
    """Settings of ``reg-triple`` (ReG App. E). Values in brackets are SubgraphRAG's, which it follows."""

    rounds: int = setting(3, "Rounds of the directional distance encoding, each way [2].")
    hidden: int = setting(128, "Size of the hidden layers [1024].")
    dropout: float = setting(0.1, "Rate after the first layer [0].", least=0, below=1)


@dataclass(frozen=True, slots=True)
class RegEntityConfig(TripleConfig):
    """Settings of ``reg-entity`` (ReG App. E)."""

    hidden: int = setting(32, "Size of entity states and messages.")
    fan_out: int = setting(
        16, "Candidate triples for each entity, relation and direction; a topic gives all of its own."
    )
    rounds: int = setting(3, "Rounds of the directional distance encoding, each way.")
    layers: int = setting(3, "Layers of principal neighbourhood aggregation.")
    dropout: float = setting(0.1, "Rate after each layer.", least=0, below=1)


@dataclass(frozen=True, slots=True)
class RelRagTripleConfig(TripleConfig):
    """Settings of ``rel-rag-triple``. Values in brackets are the paper's (REL-RAG App. F.1)."""

    hidden: int = setting(128, "Size of triple states and queries; 128 trains in minutes on two cores [512].")
    dropout: float = setting(0.2, "Rate after each first layer [0.2].", least=0, below=1)
    graph: Literal["line", "raw"] = setting(
        "line",
        "Encode triples on the line graph, or on the raw graph as REL-RAG's ablation does (section 5.3).",
    )
    skip: bool = setting(True, "Add a projection of phi(h, r, t) to the mean of the two GCNs [no].")
    neighbours: int = setting(16, "Triples read per entity and direction by the second layer while training.")
    negatives: int = setting(5, "Negatives drawn for each positive [5].")
    positives: int = setting(16, "Positives drawn for a question and topic, at most [all].")
    state_budget_mb: int = setting(
        4096, "Triple states are kept on disk up to this size in megabytes, else computed on demand."
    )


@dataclass(frozen=True, slots=True)
class PathOptions(InferenceOptions):
    """Settings of the path methods for asking."""

    inference: Literal["ranked", "sampled"] = setting(
        "ranked",
        "Search the most probable relation paths and take all paths along them, or draw paths at random as the "
        "paper does (docs/adr/0002).",
    )


@dataclass(frozen=True, slots=True)
class RaplOptions(PathOptions):
    """Settings of ``rapl`` for asking; the three configurations of its Table 1."""

    inference: Literal["ranked", "sampled"] = setting(
        "sampled",
        "Draw paths at random as the paper does, or search the most probable relation paths and take all paths "
        "along them (docs/adr/0002).",
    )
    draws: Literal["K60-M80", "K80-M120", "K120-M200"] = setting(
        "K120-M200", "How many first triples are drawn (K), and how many of the drawn paths are kept (M)."
    )

    @property
    def sizes(self) -> tuple[int, int]:
        """K and M."""
        first, kept = self.draws.split("-")
        return int(first[1:]), int(kept[1:])


@dataclass(frozen=True, slots=True)
class TripleOptions(InferenceOptions):
    """Settings of the triple-level methods for asking."""

    top_k: int = setting(500, "K, triples retrieved for each topic [ReG 500 or 200, REL-RAG 50 or 500].")
    chain_length: int = setting(
        3,
        "L, most hops of the chains that a language model reads; 0 for no limit [2, for CWQ no limit].",
        least=0,
    )


@dataclass(frozen=True, slots=True)
class EntityOptions(TripleOptions):
    """Settings of ``reg-entity`` for asking."""

    top_k: int = setting(700, "K, triples retrieved for each topic [200 more than reg-triple].")


@dataclass(frozen=True, slots=True)
class InsesOptions(InferenceOptions):
    """Settings of ``inses``; values in brackets are the paper's."""

    iterations: int = setting(6, "Steps at most [6].", below=13)
    similarity: bool = setting(True, "Jump to the entity most like each one that the search stands at [yes].")
    threshold: float = setting(0.8, "tau_sim, the least cosine of a jump [not given].", above=0, below=1.0001)
    fill: bool = setting(False, "Give back the best of what was left too, until the budget is used up [no].")
    navigator: Literal["auto", "encoder", "llm"] = setting(
        "auto", "Who selects triples: auto is a language model where one also answers [llm]."
    )


@dataclass(frozen=True, slots=True)
class TextOptions(InferenceOptions):
    """Settings of ``text-rag``; values in brackets are the paper's (INSES, Table 2)."""

    passages: int = setting(5, "Passages that are read [5 and 10].", below=51)


@dataclass(frozen=True, slots=True)
class RouterOptions(InferenceOptions):
    """Settings of ``router`` (INSES, Algorithm 2); values in brackets are the paper's."""

    confidence: float = setting(
        0.5,
        "An answer from passages must be more confident than this, or the graph is asked [not given].",
        least=0,
        below=1,
    )
    decider: Literal["auto", "wording", "llm"] = setting(
        "auto", "Who counts the hops: auto is a language model where one also answers [llm]."
    )


@dataclass(frozen=True, slots=True)
class RegPathConfig(TrainingConfig):
    """Settings of ``reg-path``: its planner (ReG eq. 35, App. E). Values in brackets are the paper's."""

    backend: Literal["small", "llm"] = setting(
        "small",
        "The planner: a small decoder over relation embeddings, or a causal language model with LoRA adapters, which "
        "needs a GPU to be useful [llm].",
    )
    llm: str = setting("", "Directory of the causal language model, for the backend llm [LLaMA-2-7B].")
    lora_rank: int = setting(8, "Rank of its adapters.")
    hidden: int = setting(192, "Size of the small planner's memory.")
    dropout: float = setting(0.3, "Rate in the planner, or in the adapters.", least=0, below=1)
    words: bool = setting(True, "The small planner attends to the question's words at every step.")
    word_dropout: float = setting(
        0.1, "Share of the words that are blanked while training.", least=0, below=1
    )
    tune_encoder: Literal["auto", "yes", "no"] = setting(
        "auto",
        "Train a copy of the text encoder with the planner, for the questions; its weights go into the checkpoint. "
        "auto does so for graphs of 1,000 relations or more: telling many apart takes more than the frozen one says.",
    )
    encoder_rate: float = setting(5e-5, "Learning rate of that copy.", above=0)
    pooling: Literal["likely", "all"] = setting(
        "likely",
        "Of several relation paths of one question whose worth nobody judged, learn the sum of their "
        "probabilities, so that the one that fits other questions too wins, or all alike (eq. 35) [all].",
    )
    learning_rate: float = setting(1e-3, "Of Adam.", above=0)
    batch_size: int = setting(32, "Questions a step.")
    averaging: float = setting(
        0.99,
        "Ask with a running average of the weights, of which each step leaves so much; 0 asks with the weights "
        "themselves [0].",
        least=0,
        below=1,
    )


@dataclass(frozen=True, slots=True)
class RegPathOptions(InferenceOptions):
    """Settings of ``reg-path`` when it is asked."""

    beam: int = setting(
        20, "Relation paths that go on from each topic on every level; 10 asks less [10 or 20]."
    )


@dataclass(frozen=True, slots=True)
class GraphS3Config(TrainingConfig):
    """Settings of ``graph-s3``: its policy (Graph-S3 section 3, App. A). Values in brackets are the paper's.

    The preset ``paper`` is for the backend ``llm``.
    """

    backend: Literal["small", "llm"] = setting(
        "small",
        "The policy: a small model that scores what is possible, or a causal language model with LoRA adapters that "
        "writes thought and action, which needs a GPU to be useful [llm].",
    )
    llm: str = setting("", "Directory of the causal language model, for the backend llm [Qwen3-8B].")
    lora_rank: int = setting(16, "Rank of its adapters [all weights are trained].")
    context: int = setting(4096, "Tokens of prompt and reply that the language model reads.", least=64)
    reply: int = setting(256, "Tokens of a reply of the language model, at most.", least=8)
    mini_batch: int = setting(16, "Decisions in one step of the language model's reinforcement [16].")
    hidden: int = setting(192, "Size of the policy's memory.")
    dropout: float = setting(0.3, "Rate while imitating.", least=0, below=1)
    words: bool = setting(True, "Attend to the question's words at every step.")
    word_dropout: float = setting(
        0.1, "Share of the words that are blanked while imitating.", least=0, below=1
    )
    questions: int = setting(
        4000, "Training questions that trajectories are made of, at most [9,035 instances]."
    )
    samples: int = setting(
        2, "Tries for each question; the first goes straight, the others now and then astray."
    )
    astray: float = setting(0.15, "Probability of a step at random in those.", least=0, below=1)
    match: float = setting(
        1.0, "Least F1 of a kept trajectory's answers; 1 is the very answer set [1].", above=0, below=1.0001
    )
    refinement: Literal["paths", "answers"] = setting(
        "paths",
        "What the shortest form of a trajectory keeps: the relation paths that lead to the answers too, or the answers "
        "alone [answers].",
    )
    steps: int = setting(12, "Actions of a search, at most.", below=33)
    learning_rate: float = setting(1e-3, "Of Adam, while imitating.", above=0)
    batch_size: int = setting(32, "Trajectories a step, while imitating.")
    questions_per_epoch: int = setting(
        2000,
        "Trajectories an epoch; larger training sets are visited in parts, so that checkpoints come often.",
    )
    rl_epochs: int = setting(4, "Epochs of reinforcement after imitation; 0 for none [15].", least=0)
    rl_learning_rate: float = setting(1e-4, "Of Adam, in reinforcement.", above=0)
    rl_batch_size: int = setting(
        32,
        "Trajectories a step, in reinforcement; of the language model, decisions that are replied to before it is "
        "changed [512].",
    )
    reward: Literal["stepwise", "outcome"] = setting(
        "stepwise", "Of each action against refined trajectories (eq. 8), or of the final answers alone."
    )
    group: int = setting(8, "Actions, or searches, that are drawn and compared.")
    clip: float = setting(0.2, "How far a ratio of probabilities counts [0.2].", above=0, below=1)
    kl: float = setting(0.001, "Weight of the divergence from the imitating policy [0.001].", least=0)
    form_weight: float = setting(0.1, "Reward of any action that is possible [not given].", least=0)
    partial_weight: float = setting(
        0.5, "Reward of doing part of the refined action [not given].", least=0, below=1
    )


@dataclass(frozen=True, slots=True)
class GraphS3Options(InferenceOptions):
    """Settings of ``graph-s3`` when it is asked."""

    steps: int = setting(12, "Actions of a search, at most.", below=65)
    page: int = setting(
        1000,
        "Facts around entities that are listed at a time, at most 60 where a language model explores; all are counted.",
    )
    beam: int = setting(8, "Searches under way when relation paths are ranked.")
    policy: Literal["auto", "small", "llm"] = setting(
        "auto",
        "Who explores: auto is the trained policy; without one a language model, where one also answers, else the "
        "relations' likeness to the question [llm].",
    )


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


def _described(cls: type[_Checked]) -> tuple[Setting, ...]:
    hints = get_type_hints(cls)
    found = []
    for f in fields(cls):
        hint = hints[f.name]
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        kind, default = "choice" if choices else hint.__name__, getattr(cls(), f.name)
        found.append(Setting(f.name, kind, default, choices=choices, **f.metadata))
    return tuple(found)


C = TypeVar("C", bound=_Checked)


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
