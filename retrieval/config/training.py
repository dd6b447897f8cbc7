"""Settings of training each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config.base import TrainingConfig, setting


@dataclass(frozen=True, slots=True)
class RetrieverConfig(TrainingConfig):
    """Settings of every method that is trained to find something in a graph."""

    max_hops: int = setting(3, "Longest relation path, in labels and in retrieval.")
    entity_texts: Literal["auto", "yes", "no"] = setting(
        "auto",
        "Read the entities' labels as text features; auto does up to 20,000 entities. "
        "On MetaQA (43,234) they change nothing but the training time.",
    )


@dataclass(frozen=True, slots=True)
class PathConfig(RetrieverConfig):
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
class TripleConfig(RetrieverConfig):
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
class RegPathConfig(RetrieverConfig):
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
class GraphS3Config(RetrieverConfig):
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
        0.0,
        "Share of the words that are blanked while imitating. Where a question's words say which relation comes first, "
        "blanks hide it: after eight epochs of PathQuestion's three hops the dev F1 was 0.92 with 0.1, 0.96 with 0.",
        least=0,
        below=1,
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
    patience: int = setting(
        6, "Epochs without a better dev score before imitation stops; the order of like relations comes late."
    )
    averaging: float = setting(
        0.99,
        "Act with a running average of the weights, of which each step leaves so much; 0 acts with the weights "
        "themselves [0].",
        least=0,
        below=1,
    )
    questions_per_epoch: int = setting(
        4000,
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
class RouterConfig(TrainingConfig):
    """Settings of ``router``: the classifier that tells questions of three hops or more (docs/router.md)."""

    hidden: int = setting(64, "Size of its hidden layer.")
    dropout: float = setting(0.2, "Rate before each layer.", least=0, below=1)
