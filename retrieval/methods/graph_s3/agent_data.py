"""What the stages of Graph-S3's training share: trajectories, their texts, and questions to search."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from retrieval.errors import TrainingDataError
from retrieval.language.question import Question
from retrieval.linking.questions import QuestionTexts
from retrieval.methods.graph_s3.agent.decisions import write_views
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.rewards import RewardWeights
from retrieval.methods.graph_s3.agent.rollouts import Rollout, run_rollouts
from retrieval.methods.graph_s3.agent.small_policy import write_relation_texts
from retrieval.methods.graph_s3.agent.state import State
from retrieval.methods.graph_s3.agent.synthesis import (
    Episode,
    Synthesis,
    generate_episodes,
    make_refined,
    to_episode,
)
from retrieval.methods.graph_s3.agent_examples import AgentExample, make_imitation_example, make_reward_examples
from retrieval.methods.graph_s3.model import AgentModel
from retrieval.methods.graph_s3.retriever import make_limits
from retrieval.methods.graph_s3.spec import GraphS3Config
from retrieval.nn.query import EncodedQuestions, Texts
from retrieval.supervision.grounding import Grounded, resolve_questions
from retrieval.supervision.labels import Label
from retrieval.supervision.trajectories import Trajectory
from retrieval.training.recipe import Splits, Work
from retrieval.types import QuestionRecord

#: Dev questions that are searched after each epoch.
_DEV = 300
#: Questions that are also read as written, for mentions that are not found when asking.
_AS_WRITTEN = 600


@dataclass(frozen=True, slots=True, eq=False)
class AgentData:
    """See the module.

    Attributes:
        raw: trajectories to imitate.
        golden: states of refined trajectories with the rewards of their options.
        questions: training questions, for rewards by outcome.
        dev: questions that are searched for the score.
        relations: text features, [R, d].
        rows: of each distinct text in ``texts``.
        digest: of the trajectories.
    """

    work: Work
    config: GraphS3Config
    world: AgentWorld
    raw: Sequence[AgentExample]
    golden: Sequence[AgentExample]
    questions: Sequence[Grounded]
    dev: Sequence[Grounded]
    relations: Tensor
    rows: dict[str, int]
    texts: QuestionTexts
    digest: bytes

    def read(self, model: AgentModel, texts: Sequence[str], rng: np.random.Generator | None = None) -> EncodedQuestions:
        """Questions as the model reads them; with ``rng`` some words are blanked."""
        encoded = self.texts.select_rows(np.array([self.rows[text] for text in texts]))
        if rng is not None and encoded.words is not None:
            blank = torch.from_numpy(rng.random(encoded.words.shape[:2]) < self.config.word_dropout)
            encoded = Texts(encoded.vectors, encoded.words.masked_fill(blank.unsqueeze(2), 0.0), encoded.lengths)
        return model.read(encoded)

    @torch.inference_mode()
    def search(
        self,
        model: AgentModel,
        questions: Sequence[Grounded],
        *,
        rng: np.random.Generator | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> tuple[list[State], list[Rollout], list[tuple[str, ...]]]:
        """Search for the answers of questions; see ``rollouts.run_rollouts``. Also the views of each question."""
        states = [make_initial_state(self.world, question) for question in questions]
        seen = [write_views(state) for state in states]
        firsts = np.cumsum([0, *(len(each) for each in seen)])[:-1].tolist()
        encoded = self.read(model, [text for each in seen for text in each])
        beginnings = list(zip(firsts, states, strict=True))
        relations = model.encode_relations(self.relations)
        ends, rollouts = run_rollouts(self.world, model, encoded, relations, beginnings, rng=rng, cancelled=cancelled)
        return ends, rollouts, seen


def make_initial_state(world: AgentWorld, question: Grounded) -> State:
    """Where the search for a question begins."""
    return world.make_initial_state(Question(question.question.question), question.topics, question.names)


def make_trajectories(
    work: Work, config: GraphS3Config, splits: Splits, labels: Sequence[Label], *, simple: bool
) -> tuple[AgentWorld, list[Episode], list[Episode]]:
    """The world, trajectories made from labels and those that were given, and the shortest form of each.

    Raises:
        TrainingDataError: there is no trajectory.
        Cancelled: somebody pressed Stop.
    """
    world = AgentWorld(Frontiers(work.snapshot, simple=simple), make_limits(config))
    train = _sample_evenly(splits.train, config.questions)
    settings = Synthesis(config.samples, config.astray, config.match, config.seed)
    episodes = generate_episodes(world, train, labels, settings, progress=work.progress, cancelled=work.cancelled)
    episodes += _collect_given(world, splits, work.trajectories)
    if not episodes:
        raise TrainingDataError(
            f"None of the {len(train):,} training questions could be answered exactly along a path of "
            f"{config.max_hops} hops.",
            hint="Give a smaller match, a larger max_hops, or a question set that belongs to this graph.",
        )
    short = [make_refined(world, episode, config.refinement) for episode in episodes]
    return world, episodes, short


def make_data(work: Work, config: GraphS3Config, splits: Splits, labels: Sequence[Label], *, simple: bool) -> AgentData:
    """Trajectories made from labels, and those that were given, with all their texts.

    Raises:
        TrainingDataError: there is no trajectory.
        Cancelled: somebody pressed Stop.
    """
    world, episodes, short = make_trajectories(work, config, splits, labels, simple=simple)
    weights = RewardWeights(config.form_weight, config.partial_weight)
    raw = [make_imitation_example(world, episode) for episode in episodes]
    golden = make_reward_examples(world, short, weights, progress=work.progress, cancelled=work.cancelled)
    dev = _sample_evenly(splits.dev or splits.train, _DEV)
    by_id = {e.question.question.id: e.question for e in episodes}
    texts: dict[str, int] = {}
    for question in (*by_id.values(), *dev):
        for text in write_views(make_initial_state(world, question)):
            texts.setdefault(text, len(texts))
    for example in _sample_evenly(raw, _AS_WRITTEN):
        texts.setdefault(example.written, len(texts))
    encoded = QuestionTexts.encode(
        work.encoder, list(texts), words=config.words, progress=work.progress, cancelled=work.cancelled
    )
    relations = torch.from_numpy(work.encoder.encode(write_relation_texts(work.snapshot)))
    return AgentData(
        work, config, world, raw, golden, list(by_id.values()), dev, relations, texts, encoded,
        compute_digest(*episodes, *short),
    )  # fmt: skip


def compute_digest(*episodes: Episode) -> bytes:
    """Names what was done in some trajectories, and why, where that is said."""
    done = repr([(e.question.question.id, e.actions, e.thoughts) for e in episodes])
    return hashlib.sha256(done.encode()).digest()


def _collect_given(world: AgentWorld, splits: Splits, trajectories: Sequence[Trajectory]) -> list[Episode]:
    """The trajectories of training questions, and of questions that are in no set; refined ones are made anew."""
    known = {question.question.id: question for question in splits.train}
    held = {question.question.id for question in splits.dev}
    episodes: list[Episode] = []
    for trajectory in trajectories:
        if trajectory.refined_from is not None or trajectory.question_id in held:
            continue
        question = known.get(trajectory.question_id)
        if question is None:
            ungrounded = QuestionRecord(trajectory.id, trajectory.question, trajectory.topics, trajectory.answers)
            grounded, _ = resolve_questions(world.snapshot, [ungrounded])
            question = grounded[0] if grounded else None
        episode = to_episode(world, trajectory, question) if question is not None else None
        if episode is not None and episode.score > 0:
            episodes.append(episode)
    return episodes


T = TypeVar("T")


def _sample_evenly(items: Sequence[T], most: int) -> list[T]:
    """At most so many, evenly spread: question sets come sorted by hops."""
    count = min(len(items), most)
    return [items[i * len(items) // count] for i in range(count)]
