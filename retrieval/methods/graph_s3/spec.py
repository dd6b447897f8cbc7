"""What ``graph-s3`` is, without loading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.config import ALL_DRAWN, RetrieverConfig, TrainedOptions, make_setting
from retrieval.methods.spec import MethodSpec


@dataclass(frozen=True, slots=True)
class GraphS3Config(RetrieverConfig):
    """Settings of ``graph-s3``: its policy (Graph-S3 section 3, App. A). Values in brackets are the paper's.

    The preset ``paper`` is for the backend ``llm``.
    """

    backend: Literal["small", "llm"] = make_setting(
        "small",
        "The policy: a small model that scores what is possible, or a causal language model with LoRA adapters that "
        "writes thought and action, which needs a GPU to be useful [llm].",
    )
    llm: str = make_setting("", "Directory or GGUF file of the causal language model, for the backend llm [Qwen3-8B].")
    lora_rank: int = make_setting(16, "Rank of its adapters [all weights are trained].")
    context: int = make_setting(4096, "Tokens of prompt and reply that the language model reads.", least=64)
    reply: int = make_setting(256, "Tokens of a reply of the language model, at most.", least=8)
    mini_batch: int = make_setting(16, "Decisions in one step of the language model's reinforcement [16].")
    hidden: int = make_setting(192, "Size of the policy's memory.")
    dropout: float = make_setting(0.3, "Rate while imitating.", least=0, below=1)
    words: bool = make_setting(True, "Attend to the question's words at every step.")
    word_dropout: float = make_setting(
        0.0,
        "Share of the words that are blanked while imitating. Where a question's words say which relation comes first, "
        "blanks hide it: after eight epochs of PathQuestion's three hops the dev F1 was 0.92 with 0.1, 0.96 with 0.",
        least=0,
        below=1,
    )
    questions: int = make_setting(4000, "Training questions that trajectories are made of, at most [9,035 instances].")
    samples: int = make_setting(2, "Tries for each question; the first goes straight, the others now and then astray.")
    astray: float = make_setting(0.15, "Probability of a step at random in those.", least=0, below=1)
    match: float = make_setting(
        1.0, "Least F1 of a kept trajectory's answers; 1 is the very answer set [1].", above=0, below=1.0001
    )
    refinement: Literal["paths", "answers", "none"] = make_setting(
        "paths",
        "What the shortest form of a trajectory keeps: the relation paths that lead to the answers too, or the answers "
        "alone; none leaves trajectories as they are, the ablation of Table 2 [answers].",
    )
    steps: int = make_setting(12, "Actions of a search, at most.", below=33)
    learning_rate: float = make_setting(1e-3, "Of Adam, while imitating.", above=0)
    batch_size: int = make_setting(32, "Trajectories a step, while imitating.")
    patience: int = make_setting(
        6, "Epochs without a better dev score before imitation stops; the order of like relations comes late."
    )
    averaging: float = make_setting(
        0.99,
        "Act with a running average of the weights, of which each step leaves so much; 0 acts with the weights "
        "themselves [0].",
        least=0,
        below=1,
    )
    questions_per_epoch: int = make_setting(
        4000,
        "Trajectories an epoch; larger training sets are visited in parts, so that checkpoints come often; 0 for no "
        "limit [no limit].",
        least=0,
    )
    imitation: bool = make_setting(
        True,
        "Begin with imitation of trajectories; without it reinforcement begins with an untrained policy, the ablation "
        "of Table 2 (w/o SFT) [yes].",
    )
    rl_epochs: int = make_setting(4, "Epochs of reinforcement after imitation; 0 for none [15].", least=0)
    rl_learning_rate: float = make_setting(1e-4, "Of Adam, in reinforcement.", above=0)
    rl_batch_size: int = make_setting(
        32,
        "Trajectories a step, in reinforcement; of the language model, decisions that are replied to before it is "
        "changed [512].",
    )
    reward: Literal["stepwise", "outcome"] = make_setting(
        "stepwise", "Of each action against refined trajectories (eq. 8), or of the final answers alone."
    )
    group: int = make_setting(8, "Actions, or searches, that are drawn and compared.")
    clip: float = make_setting(0.2, "How far a ratio of probabilities counts [0.2].", above=0, below=1)
    kl: float = make_setting(0.001, "Weight of the divergence from the imitating policy [0.001].", least=0)
    form_weight: float = make_setting(0.1, "Reward of any action that is possible [not given].", least=0)
    partial_weight: float = make_setting(
        0.5, "Reward of doing part of the refined action [not given].", least=0, below=1
    )


@dataclass(frozen=True, slots=True)
class GraphS3Options(TrainedOptions):
    """Settings of ``graph-s3`` when it is asked."""

    steps: int = make_setting(12, "Actions of a search, at most.", below=65)
    interactive: bool = make_setting(
        True,
        "Explore step by step. Without it all facts within so many hops are read at once: the ablation of Table 2 (w/o "
        "interactive), and without a checkpoint its k-hop RAG [yes].",
    )
    hops: int = make_setting(2, "k, hops of what is read at once [1 to 3].", below=5)
    facts_read: int = make_setting(500, "Facts that are read at once, at most, the nearest first.", below=5001)
    page: int = make_setting(
        1000,
        "The window: facts around entities that are listed at a time, at most 60 where a language model explores; all "
        "are counted.",
    )
    beam: int = make_setting(
        4,
        "Searches that the small policy looks ahead along; as many are under way when relation paths are ranked.",
    )
    policy: Literal["auto", "small", "llm"] = make_setting(
        "auto",
        "Who explores: auto is the trained policy; without one a language model, where one also answers, else the "
        "relations' likeness to the question [llm].",
    )
    chain_length: int = make_setting(
        0,
        "Most hops of the chains that the focus graph is re-organised into; 0 for no limit [eq. 3: all of it].",
        least=0,
    )


SPEC = MethodSpec(
    name="graph-s3",
    label="Explorer",
    description="An agent that explores the graph step by step and can be steered (Graph-S3).",
    config=GraphS3Config,
    options=GraphS3Options,
    presets={
        "paper": {
            "backend": "llm",
            "refinement": "answers",
            "averaging": 0.0,
            **ALL_DRAWN,
            "epochs": 3,
            "rl_epochs": 15,
            "rl_batch_size": 512,
            "batch_size": 16,
            "learning_rate": 1e-4,
            "rl_learning_rate": 1e-5,
            "dropout": 0.05,
        }
    },
    asking={
        "paper": {
            "evidence": "triples",
            "policy": "llm",
            "characters_read": 0,
            "joins": False,
            "text_fit": False,
        }
    },
    steerable=True,
    answerer="retrieval.answering.agent:open_answerer",
    retriever="retrieval.methods.graph_s3.retriever:open_retriever",
    task="retrieval.methods.graph_s3.training:make_task",
    model="retrieval.methods.graph_s3.retriever:build_model",
)
