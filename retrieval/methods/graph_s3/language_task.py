"""The task of Graph-S3's language model: decisions of trajectories, both stages, and whose weights are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from torch import Tensor

from retrieval.methods.graph_s3.agent import policy, serialise
from retrieval.methods.graph_s3.agent.actions import Action, Unreadable
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.language_policy import LanguagePolicy
from retrieval.methods.graph_s3.agent.rewards import (
    Golden,
    RewardWeights,
    compute_outcome_reward,
    compute_step_reward,
)
from retrieval.methods.graph_s3.agent.synthesis import Episode
from retrieval.methods.graph_s3.agent_data import compute_digest, make_initial_state, make_trajectories
from retrieval.methods.graph_s3.language_training import (
    Judge,
    LanguageTrainer,
    LanguageTraining,
    TrainingExample,
    make_examples,
)
from retrieval.methods.graph_s3.retriever import LanguageRetriever, make_language_policy
from retrieval.methods.graph_s3.spec import GraphS3Config
from retrieval.nn.language_model import AdaptedModel
from retrieval.retriever import Retriever
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.recipe import Splits, Work
from retrieval.training.training_state import TrainingState

#: Dev questions that are searched for the score: each takes several replies.
_DEV = 50


class LanguageAgentTask:
    """See ``recipe.SelfTrained``.

    Args:
        config: with the backend ``llm``.
        raw: trajectories to imitate.
        short: refined ones, whose states are reinforced.
        dev: questions that are searched for the score.

    Raises:
        ConfigError: the language model cannot be used.
    """

    score_name = "dev_answer_f1"
    entity_texts = False

    def __init__(
        self,
        work: Work,
        config: GraphS3Config,
        world: AgentWorld,
        raw: Sequence[Episode],
        short: Sequence[Episode],
        *,
        dev: Sequence[Grounded],
    ) -> None:
        self.work, self.config, self.world = work, config, world
        self.raw, self.short, self.dev = raw, short, dev
        self.model = AdaptedModel(config.llm, rank=config.lora_rank, dropout=config.dropout)
        self.policy: LanguagePolicy = make_language_policy(world, self.model, config)

    def train_model(self, resume: Path, key: str) -> tuple[TrainingState, list[dict[str, float]]]:
        """Imitation, then reinforcement; the weights of the stage with the better dev score are kept."""
        trainer = LanguageTrainer(
            self.world, self.model, make_training_settings(self.config), where=resume, key=key,
            progress=self.work.progress, cancelled=self.work.cancelled,
        )  # fmt: skip
        if self.config.imitation:
            trainer.train_by_imitation(
                [example for episode in self.raw for example in _make_examples(self.world, episode)]
            )
        best, weights = self._score(), _copy(self.model)
        if self.config.rl_epochs:
            trainer.train_by_reinforcement(make_golden_examples(self.world, self.short), self._make_judge())
            score = self._score()
            if score > best:
                best, weights = score, _copy(self.model)
        epochs = self.config.epochs * self.config.imitation + self.config.rl_epochs
        return TrainingState(epochs, best, weights=weights), trainer.curves

    def compute_fingerprint(self) -> bytes:
        """Digest of the trajectories."""
        return compute_digest(*self.raw, *self.short)

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """The trained retriever, on the model as it stands; nothing is kept in ``cache``."""
        del cache
        return LanguageRetriever(checkpoint, self.work.snapshot, self.work.encoder, self.policy)

    def _score(self) -> float:
        """Mean F1 of what its searches end with, over dev questions."""
        ends = [
            (
                self.policy.search(make_initial_state(self.world, q), cancelled=self.work.cancelled),
                np.array(q.answers),
            )
            for q in self.dev
        ]
        return sum(compute_outcome_reward(state, answers) for state, answers in ends) / max(len(ends), 1)

    def _make_judge(self) -> Judge:
        if self.config.reward == "outcome":
            return self._score_outcome
        weights = RewardWeights(self.config.form_weight, self.config.partial_weight)

        def score_step(example: TrainingExample, reply: serialise.ActionReply | Unreadable) -> float:
            readable = not isinstance(reply, Unreadable)
            action = reply if isinstance(reply, Unreadable) else reply.action
            return compute_step_reward(self.world, example.state, action, example.golden, weights, well_formed=readable)

        return score_step

    def _score_outcome(self, example: TrainingExample, reply: serialise.ActionReply | Unreadable) -> float:
        """F1 of the answers when the model goes on from its reply by itself: the ablation of section 4.3.2."""
        state, _ = self.world.apply_action(example.state, reply if isinstance(reply, Unreadable) else reply.action)
        state = self.policy.search(state, cancelled=self.work.cancelled)
        return compute_outcome_reward(state, np.array(example.answers))


def make_training_settings(config: GraphS3Config) -> LanguageTraining:
    """The settings as the trainer reads them."""
    return LanguageTraining(
        context=config.context,
        longest=config.reply,
        sft_epochs=config.epochs,
        sft_rate=config.learning_rate,
        sft_batch=config.batch_size,
        rl_epochs=config.rl_epochs,
        rl_rate=config.rl_learning_rate,
        batch=config.rl_batch_size,
        mini_batch=config.mini_batch,
        group=config.group,
        clip=config.clip,
        kl=config.kl,
        seed=config.seed,
    )


def make_golden_examples(world: AgentWorld, episodes: Sequence[Episode]) -> list[TrainingExample]:
    """The decisions of refined trajectories, with what others of the same question do there; equal ones count once."""
    of_question: dict[str, dict[tuple[Action, ...], Episode]] = defaultdict(dict)
    for episode in episodes:
        of_question[episode.question.question.id].setdefault(episode.actions, episode)
    examples = []
    for mine in of_question.values():
        golden, seen = Golden(mine), set[tuple[Action, ...]]()
        for episode in mine.values():
            for i, example in enumerate(_make_examples(world, episode)):
                before = episode.actions[:i]
                if before not in seen:
                    seen.add(before)
                    wanted = tuple(golden.get_next_actions(before))
                    examples.append(
                        TrainingExample(
                            example.state, example.action, example.thought, wanted, episode.question.answers
                        )
                    )
    return examples


def _make_examples(world: AgentWorld, episode: Episode) -> list[TrainingExample]:
    """The decisions of a trajectory; where nobody said why, in the words of :func:`policy.explain_action`."""
    thoughts: Sequence[str] = episode.thoughts
    if not thoughts:
        state, reasons = episode.beginning, []
        for action in episode.actions:
            reasons.append(policy.explain_action(world, state, action))
            state, _ = world.apply_action(state, action)
        thoughts = reasons
    return make_examples(world, episode.beginning, episode.actions, thoughts)


def _copy(model: AdaptedModel) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def make_language_task(
    work: Work,
    config: GraphS3Config,
    splits: Splits,
    labels: Sequence[Label],
    *,
    simple: bool,
) -> LanguageAgentTask:
    """The task of the backend ``llm``; see ``recipe.Recipe``.

    Raises:
        TrainingDataError: no training question has a trajectory.
        ConfigError: the language model cannot be used.
    """
    world, raw, short = make_trajectories(work, config, splits, labels, simple=simple)
    dev = splits.dev or splits.train
    return LanguageAgentTask(work, config, world, raw, short, dev=dev[:: -(-len(dev) // _DEV) or 1])
