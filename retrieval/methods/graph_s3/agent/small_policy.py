"""The small policy: a trained model of a million parameters that scores every legal action (``nn.agent``)."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch

from retrieval.errors import check
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.relation_names import format_qualified_name
from retrieval.linking.questions import QuestionTexts
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.graph_s3.agent.actions import Action, Choose
from retrieval.methods.graph_s3.agent.decisions import FEATURES, KINDS, AgentDecision, build_decision, write_views
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.policy import ScoredAction, explain_action
from retrieval.methods.graph_s3.agent.rollouts import (
    Ended,
    find_likely_searches,
    list_paths,
    log_shares,
    select_likeliest,
)
from retrieval.methods.graph_s3.agent.state import State
from retrieval.methods.graph_s3.model import AgentModel, Relations
from retrieval.nn.query import EncodedQuestions
from retrieval.types import Usage

#: Searches that are looked ahead along, unless one asks for more.
WIDTH = 4
_KEPT = 32


def make_model(text_features: int, hidden: int, dropout: float, *, words: bool) -> AgentModel:
    """A model for the decisions of :mod:`retrieval.methods.graph_s3.agent.decisions`, initialised."""
    return AgentModel(text_features, hidden, dropout, words=words, kinds=KINDS, features=FEATURES)


def write_relation_texts(snapshot: Snapshot) -> list[str]:
    """The text of each relation, [R]: with the type it belongs to, where its name says that."""
    return [format_qualified_name(snapshot.get_relation_name(r)) for r in range(snapshot.num_relations)]


class SmallPolicy:
    """See ``policy.Policy``. Threads may share it.

    It looks ahead: what it does next is what the most probable searches that come to an end begin with. The single
    most probable step may lead to where the question cannot be answered, and there every option is a bad one.

    Args:
        model: in evaluation mode.
        relations: as the model reads them; computed here when None.
        width: searches that it looks ahead along, on every step; 0 for the most probable step.
    """

    name = "small"
    usage = Usage()
    prompts: Sequence[str] = ()

    def __init__(
        self,
        model: AgentModel,
        world: AgentWorld,
        encoder: TextEncoder,
        relations: Relations | None = None,
        *,
        width: int = WIDTH,
    ) -> None:
        self.model = model
        self.world = world
        self.encoder = encoder
        self.width = width
        self._kept: OrderedDict[tuple[str, ...], EncodedQuestions] = OrderedDict()
        self._plans: OrderedDict[tuple[object, ...], list[Ended]] = OrderedDict()
        self._lock = threading.Lock()
        if relations is None:
            with torch.inference_mode():
                texts = torch.from_numpy(encoder.encode(write_relation_texts(world.snapshot)))
                relations = model.encode_relations(texts)
        self.relations = relations

    def apply_restriction(self, world: AgentWorld) -> SmallPolicy:
        """The same policy in another world of the same relations."""
        return SmallPolicy(self.model, world, self.encoder, self.relations, width=self.width)

    def propose(self, state: State, *, cancelled: Callable[[], bool] = lambda: False) -> tuple[ScoredAction, ...]:
        """Every legal action with its probability, best first: its share of the searches that come to an end."""
        check(cancelled)
        decision = build_decision(self.world, state)
        if not decision.actions:
            return ()
        questions = self._read(write_views(state))
        alone = self.compute_shares(questions, decision)
        ahead = self._score_ahead(questions, state, decision, cancelled) if self.width else alone
        shares = ahead / ahead.sum() if ahead.any() else alone
        order = np.lexsort((-alone, -shares))
        proposals = [ScoredAction(decision.actions[i], float(shares[i]), "", decision.facts[i]) for i in order.tolist()]
        proposals[0] = replace(proposals[0], thought=explain_action(self.world, state, proposals[0].action))
        return tuple(proposals)

    def _score_ahead(
        self, questions: EncodedQuestions, state: State, decision: AgentDecision, cancelled: Callable[[], bool]
    ) -> np.ndarray:
        """What the best relation paths behind each option are worth: probabilities of the searches to them, [k]."""
        done = tuple(each.action for each in state.history)
        beginning = self.world.make_initial_state(state.question, state.topics, state.mentions)
        ended = self._search_ahead(questions, beginning, cancelled)
        best = select_likeliest(ended)
        if done and (best is None or not _has_prefix(best, done)):  # somebody went another way
            ended = self._search_ahead(questions, state, cancelled)
        ended = [each for each in ended if _has_prefix(each[1], done)]
        worth: list[dict[object, float]] = [defaultdict(float) for _ in decision.actions]
        for log, end in ended:
            option = decision.actions.index(end.history[len(done)].action)
            worth[option][list_paths(end)] += float(np.exp(log))
        return np.array([max(each.values(), default=0.0) for each in worth])

    def _search_ahead(self, questions: EncodedQuestions, state: State, cancelled: Callable[[], bool]) -> list[Ended]:
        """The most probable searches from a state on, looked for once."""
        key = (state.question, state.topics, state.mentions, tuple(each.action for each in state.history))
        with self._lock:
            if key in self._plans:
                self._plans.move_to_end(key)
                return self._plans[key]
        (ended,) = find_likely_searches(
            self.world,
            self.model,
            questions,
            self.relations,
            [(0, state)],
            width=self.width,
            cancelled=cancelled,
        )
        with self._lock:
            self._plans[key] = ended
            while len(self._plans) > _KEPT:
                self._plans.popitem(last=False)
        return ended

    @torch.inference_mode()
    def compute_shares(self, questions: EncodedQuestions, decision: AgentDecision) -> np.ndarray:
        """Probabilities of the options of one decision; ``questions`` has a row for each of its question's topics."""
        (logs,) = log_shares(self.model, questions, self.relations, [(decision.view, decision)])
        shares: np.ndarray = np.exp(logs)
        return shares

    def _read(self, texts: tuple[str, ...]) -> EncodedQuestions:
        """The question as seen from its topics, encoded once."""
        with self._lock:
            if texts in self._kept:
                self._kept.move_to_end(texts)
                return self._kept[texts]
        words = self.model.query.attention is not None
        encoded = QuestionTexts.encode(self.encoder, list(texts), words=words)
        with torch.inference_mode():
            questions = self.model.read(encoded.select_rows(np.arange(len(texts))))
        with self._lock:
            self._kept[texts] = questions
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return questions


def _has_prefix(state: State, done: tuple[Action, ...]) -> bool:
    """Whether a search did these actions first, and then others."""
    first = state.history[: len(done)]
    return len(state.history) > len(done) and tuple(each.action for each in first) == done


def find_option(decision: AgentDecision, action: object) -> int | None:
    """Position of an action among the options; of a choice of several relations its first. None where it is none."""
    for i, option in enumerate(decision.actions):
        if option == action:
            return i
        if isinstance(action, Choose) and isinstance(option, Choose) and option.relations == action.relations[:1]:
            return i
    return None
