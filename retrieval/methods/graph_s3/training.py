"""Training Graph-S3's small policy: imitation of raw trajectories, then GRPO with rewards by step (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.config import TrainingConfig
from retrieval.errors import ConfigError
from retrieval.methods.graph_s3.agent.decisions import AgentDecision
from retrieval.methods.graph_s3.agent.rewards import compute_outcome_reward
from retrieval.methods.graph_s3.agent.rollouts import compute_logits
from retrieval.methods.graph_s3.agent.small_policy import make_model
from retrieval.methods.graph_s3.agent_data import AgentData, make_data
from retrieval.methods.graph_s3.language_task import make_language_task
from retrieval.methods.graph_s3.model import AgentModel
from retrieval.methods.graph_s3.retriever import open_retriever
from retrieval.methods.graph_s3.spec import GraphS3Config
from retrieval.nn.query import EncodedQuestions
from retrieval.retriever import Retriever
from retrieval.supervision.labels import Label
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.losses import compute_segment_logsumexp
from retrieval.training.recipe import SelfTrained, Splits, Task, Work

#: How often a question is read as written, where it was encoded so.
_WRITTEN_SHARE = 0.1
#: Steps after which the policy that actions are drawn from is renewed; between them the ratios are clipped.
_RENEWED = 4
_TINY = 1e-6


class _Stage:
    """What both stages share; see ``recipe.Task``."""

    score_name = "dev_answer_f1"
    entity_texts = False

    def __init__(self, data: AgentData, model: AgentModel) -> None:
        self.data = data
        self.model = model
        self.measures: Mapping[str, float] = {}

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Mean F1 of what the most probable actions end with, over dev questions."""
        self.model.eval()
        data, total = self.data, 0.0
        for start in range(0, len(data.dev), 100):
            some = data.dev[start : start + 100]
            ends, _, _ = data.search(self.model, some, cancelled=cancelled)
            total += sum(compute_outcome_reward(e, np.array(q.answers)) for e, q in zip(ends, some, strict=True))
        return total / max(len(data.dev), 1)

    def build_retriever(self, checkpoint: OpenCheckpoint, cache: Path) -> Retriever:
        """The trained retriever; nothing is kept in ``cache``."""
        return open_retriever(checkpoint, self.data.work.snapshot, self.data.work.encoder, cache)

    def compute_fingerprint(self) -> bytes:
        """Digest of the trajectories."""
        return self.data.digest


class ImitationTask(_Stage):
    """The first stage: what raw trajectories did (eq. 7).

    Args:
        data: at least one trajectory.
        model: initialised.
    """

    def __init__(self, data: AgentData, model: AgentModel) -> None:
        super().__init__(data, model)
        self.size = len(data.raw)

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Mean negative log-likelihood of the actions, over decisions."""
        examples = [self.data.raw[int(i)] for i in chosen]
        texts, decisions, taken = list[str](), list[tuple[int, AgentDecision]](), list[int]()
        for example in examples:
            row = len(texts)
            written = example.written in self.data.rows and rng.random() < _WRITTEN_SHARE
            texts += [example.written] * len(example.views) if written else example.views
            decisions += [(row + decision.view, decision) for decision in example.decisions]
            taken += example.taken
        questions = self.data.read(self.model, texts, rng)
        logs, starts = _log_shares(self.model, questions, self.data.relations, decisions)
        picked = logs[starts + torch.tensor(taken)]
        self.measures = {"probability": float(picked.detach().exp().mean())}
        return -picked.mean()

    def get_next_stage(self) -> tuple[Task, TrainingConfig] | None:
        """See ``recipe.Staged``: reinforcement, unless it has no epochs."""
        task = _make_reinforcement_task(self.data, self.model) if self.data.config.rl_epochs else None
        return None if task is None else (task, task.settings)


def _make_reinforcement_task(data: AgentData, model: AgentModel) -> StepwiseTask | OutcomeTask:
    """The second stage, rewarded as the settings say."""
    return (StepwiseTask if data.config.reward == "stepwise" else OutcomeTask)(data, model)


def make_reinforcement_settings(config: GraphS3Config) -> GraphS3Config:
    """The settings of the second stage as the training loop reads them."""
    return replace(
        config,
        epochs=config.rl_epochs,
        patience=config.rl_epochs,
        learning_rate=config.rl_learning_rate,
        batch_size=config.rl_batch_size,
    )


class _Reinforced(_Stage):
    """GRPO: of a group of actions those better than the group's mean become likelier (section 3.2.2).

    Ratios are against the policy that the actions were drawn from and are clipped; a KL term holds the policy near
    the imitating one. Dropout is off, so that ratios compare policies and not noise.
    """

    def __init__(self, data: AgentData, model: AgentModel) -> None:
        super().__init__(data, model)
        self.reference = deepcopy(model).eval().requires_grad_(False)
        self.drawing = self.reference
        self.settings = make_reinforcement_settings(data.config)
        self._rng: np.random.Generator | None = None
        self._steps = 0

    def _update_drawing_policy(self, rng: np.random.Generator) -> None:
        """Draw from the policy as it is now, at the beginning of an epoch and every few steps."""
        if rng is not self._rng:
            self._rng, self._steps = rng, 0
        if self._steps % _RENEWED == 0:
            self.drawing = deepcopy(self.model).eval().requires_grad_(False)
        self._steps += 1

    def _compute_loss(
        self,
        texts: Sequence[str],
        decisions: Sequence[tuple[int, AgentDecision]],
        picks: Tensor,
        old: Tensor,
        advantages: Tensor,
    ) -> Tensor:
        """Clipped loss and KL.

        Args:
            decisions: n of them, each with its row.
            picks: option drawn, counted over all options of all decisions, [m].
            old: log-probability it was drawn with, [m].
            advantages: [m].
        """
        self.model.eval()
        config, relations = self.data.config, self.data.relations
        logs, starts = _log_shares(self.model, self.data.read(self.model, texts), relations, decisions)
        with torch.no_grad():
            questions = self.data.read(self.reference, texts)
            held, _ = _log_shares(self.reference, questions, relations, decisions)
        ratio = (logs[picks] - old).exp()
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        gain = torch.minimum(ratio * advantages, clipped * advantages).mean()
        # Exact over the options, where the paper's language model must estimate it from samples.
        shift = (logs.exp() * (logs - held)).sum() / len(starts)
        self.measures = {
            **self.measures,
            "kl": float(shift.detach()),
            "clipped": float((ratio != clipped).float().mean()),
        }
        return config.kl * shift - gain


class StepwiseTask(_Reinforced):
    """The second stage: rewards of single actions in the states of refined trajectories (eq. 8)."""

    def __init__(self, data: AgentData, model: AgentModel) -> None:
        super().__init__(data, model)
        self.size = len(data.golden)

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Of a group of actions drawn in each state."""
        self._update_drawing_policy(rng)
        examples = [self.data.golden[int(i)] for i in chosen]
        texts: list[str] = []
        decisions: list[tuple[int, AgentDecision]] = []
        for example in examples:
            decisions += [(len(texts) + decision.view, decision) for decision in example.decisions]
            texts += example.views
        worth = np.concatenate([rewards for example in examples for rewards in example.rewards])
        with torch.no_grad():
            questions = self.data.read(self.drawing, texts)
            logs, starts = _log_shares(self.drawing, questions, self.data.relations, decisions)
        group = self.data.config.group
        picks = _draw_options(logs.double().exp().numpy(), starts.numpy(), group, rng)
        rewards = worth[picks].astype(np.float64)
        spread = rewards.std(axis=1, keepdims=True)
        advantages = (rewards - rewards.mean(axis=1, keepdims=True)) / (spread + _TINY)
        self.measures = {"reward": float(rewards.mean())}
        flat = torch.from_numpy(picks.ravel())
        return self._compute_loss(texts, decisions, flat, logs[flat], torch.from_numpy(advantages.ravel()).float())


class OutcomeTask(_Reinforced):
    """The ablation's second stage: whole searches, each rewarded by the F1 of its answers alone (section 4.3.2)."""

    def __init__(self, data: AgentData, model: AgentModel) -> None:
        super().__init__(data, model)
        self.size = len(data.questions)

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Of a group of searches for each question; every action of a search has the search's advantage."""
        self._update_drawing_policy(rng)
        group = self.data.config.group
        questions = [self.data.questions[int(i)] for i in chosen for _ in range(group)]
        ends, rollouts, seen = self.data.search(self.drawing, questions, rng=rng)
        rewards = np.array(
            [compute_outcome_reward(end, np.array(q.answers)) for end, q in zip(ends, questions, strict=True)]
        ).reshape(-1, group)
        spread = rewards.std(axis=1, keepdims=True)
        worth = ((rewards - rewards.mean(axis=1, keepdims=True)) / (spread + _TINY)).ravel()
        texts: list[str] = []
        decisions: list[tuple[int, AgentDecision]] = []
        taken: list[int] = []
        advantages: list[float] = []
        for rollout, views, value in zip(rollouts, seen, worth.tolist(), strict=True):
            decisions += [(len(texts) + decision.view, decision) for decision, _ in rollout]
            taken += [pick for _, pick in rollout]
            advantages += [value] * len(rollout)
            texts += views
        with torch.no_grad():
            encoded = self.data.read(self.drawing, texts)
            logs, starts = _log_shares(self.drawing, encoded, self.data.relations, decisions)
        self.measures = {"reward": float(rewards.mean())}
        picks = starts + torch.tensor(taken)
        return self._compute_loss(texts, decisions, picks, logs[picks], torch.tensor(advantages))


def _log_shares(
    model: AgentModel,
    questions: EncodedQuestions,
    relations: Tensor,
    decisions: Sequence[tuple[int, AgentDecision]],
) -> tuple[Tensor, Tensor]:
    """Log-probabilities of all options of n decisions, [m], and where those of each begin, [n]."""
    scores, owner = compute_logits(model, questions, model.encode_relations(relations), decisions)
    logs = scores - compute_segment_logsumexp(scores, owner, len(decisions))[owner]
    starts = torch.searchsorted(owner, torch.arange(len(decisions)))
    return logs, starts


def _draw_options(shares: np.ndarray, starts: np.ndarray, group: int, rng: np.random.Generator) -> np.ndarray:
    """Options drawn by their probabilities, ``group`` in each decision, int64 [n, group]."""
    ends = np.append(starts[1:], len(shares))
    summed = np.cumsum(shares)
    before = np.where(starts > 0, summed[starts - 1], 0.0)
    drawn = before[:, None] + rng.random((len(starts), group)) * (summed[ends - 1] - before)[:, None]
    picks: np.ndarray = np.searchsorted(summed, drawn)
    held: np.ndarray = np.clip(picks, starts[:, None], (ends - 1)[:, None])
    return held


def make_task(
    work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> Task | SelfTrained:
    """See ``recipe.Recipe``: the first stage, which the second follows, or a language model, which learns both.

    Raises:
        TrainingDataError: no training question has a trajectory.
        ConfigError: neither stage is left.
    """
    assert isinstance(config, GraphS3Config)
    if not config.imitation and not config.rl_epochs:
        raise ConfigError(
            "A policy that neither imitates nor is reinforced learns nothing.",
            hint="Leave imitation on, or give rl_epochs.",
        )
    if config.backend == "llm":
        return make_language_task(work, config, splits, labels, simple=simple)
    data = make_data(work, config, splits, labels, simple=simple)
    model = make_model(work.encoder.dim, config.hidden, config.dropout, words=config.words)
    return ImitationTask(data, model) if config.imitation else _make_reinforcement_task(data, model)
