"""The small policy: a trained model of a million parameters that scores every legal action (``nn.agent``)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from retrieval.agents.actions import Choose
from retrieval.agents.decisions import FEATURES, KINDS, RETURN, Decision, decide, views
from retrieval.agents.environment import World
from retrieval.agents.policy import ScoredAction, thought
from retrieval.agents.state import State
from retrieval.kg.naming import qualified_text
from retrieval.kg.snapshot import Snapshot
from retrieval.nn.agent import AgentModel, Options, Relations, stacked
from retrieval.nn.query import Asked
from retrieval.retrievers.base import check
from retrieval.retrievers.features import TextEncoder
from retrieval.retrievers.questions import QuestionTexts
from retrieval.types import Usage

_KEPT = 32


def make_model(text_features: int, hidden: int, dropout: float, *, words: bool) -> AgentModel:
    """A model for the decisions of :mod:`retrieval.agents.decisions`, initialised."""
    return AgentModel(text_features, hidden, dropout, words=words, kinds=KINDS, features=FEATURES)


def relation_texts(snapshot: Snapshot) -> list[str]:
    """The text of each relation, [R]: with the type it belongs to, where its name says that."""
    return [qualified_text(snapshot.relation_name(r)) for r in range(snapshot.num_relations)]


def logits(
    model: AgentModel, asked: Asked, relations: Relations, decisions: Sequence[tuple[int, Decision]]
) -> tuple[Tensor, Tensor]:
    """Logits of all options of some decisions.

    Lineages that begin alike are read once, level by level.

    Args:
        model: the policy.
        asked: questions as seen from topics.
        relations: of the graph.
        decisions: each with its question's row in ``asked``; each with at least one option.

    Returns:
        ``(logits, decision)`` of each of m options, [m]; decisions in order.
    """
    keys = sorted({(row, d.lineage[:n]) for row, d in decisions for n in range(len(d.lineage) + 1)},
                  key=lambda key: (len(key[1]), key))  # fmt: skip
    places = {key: place for place, key in enumerate(keys)}
    depth = len(keys[-1][1])
    first = [key for key in keys if not key[1]]
    level = model.begin(asked, torch.tensor([row for row, _ in first]))
    levels, below = [level], 0
    for length in range(1, depth + 1):
        of_level = [key for key in keys if len(key[1]) == length]
        before = torch.tensor([places[row, lineage[:-1]] - below for row, lineage in of_level])
        tokens = torch.tensor([lineage[-1] for _, lineage in of_level])
        taken = relations.taken[tokens.clamp(min=0)]
        below += len(level.rows)
        level = model.advance(asked, level, before, taken, tokens == RETURN)
        levels.append(level)
    counts = torch.tensor([len(d.kinds) for _, d in decisions])
    owner = torch.repeat_interleave(torch.arange(len(decisions)), counts)
    at = torch.tensor([places[row, d.lineage] for row, d in decisions])
    options = Options(
        at[owner],
        torch.from_numpy(np.concatenate([d.kinds for _, d in decisions])),
        torch.from_numpy(np.concatenate([d.relations for _, d in decisions])),
        torch.from_numpy(np.concatenate([d.features for _, d in decisions])),
    )
    return model.scores(asked, stacked(levels), relations, options), owner


class SmallPolicy:
    """See ``policy.Policy``. Threads may share it.

    Args:
        model: in evaluation mode.
        world: the graph.
        encoder: the frozen text encoder.
        relations: as the model reads them; computed here when None.
    """

    name = "small"
    usage = Usage()
    prompts: Sequence[str] = ()

    def __init__(
        self, model: AgentModel, world: World, encoder: TextEncoder, relations: Relations | None = None
    ) -> None:
        self.model = model
        self.world = world
        self.encoder = encoder
        self._kept: OrderedDict[tuple[str, ...], Asked] = OrderedDict()
        self._lock = threading.Lock()
        if relations is None:
            with torch.inference_mode():
                texts = torch.from_numpy(encoder.encode(relation_texts(world.snapshot)))
                relations = model.relations(texts)
        self.relations = relations

    def on(self, world: World) -> SmallPolicy:
        """The same policy in another world of the same relations."""
        return SmallPolicy(self.model, world, self.encoder, self.relations)

    def propose(
        self, state: State, *, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[ScoredAction, ...]:
        """Every legal action with its probability, best first."""
        check(cancelled)
        decision = decide(self.world, state)
        if not decision.actions:
            return ()
        shares = self.shares(self._read(views(state)), decision)
        order = np.argsort(-shares, kind="stable")
        found = [
            ScoredAction(decision.actions[i], float(shares[i]), "", decision.facts[i]) for i in order.tolist()
        ]
        found[0] = replace(found[0], thought=thought(self.world, state, found[0].action))
        return tuple(found)

    @torch.inference_mode()
    def shares(self, asked: Asked, decision: Decision) -> np.ndarray:
        """Probabilities of the options of one decision; ``asked`` has a row for each of its question's topics."""
        scores, _ = logits(self.model, asked, self.relations, [(decision.view, decision)])
        shares: np.ndarray = scores.double().softmax(0).numpy()
        return shares

    def _read(self, texts: tuple[str, ...]) -> Asked:
        """The question as seen from its topics, encoded once."""
        with self._lock:
            if texts in self._kept:
                self._kept.move_to_end(texts)
                return self._kept[texts]
        words = self.model.query.attention is not None
        encoded = QuestionTexts.encode(self.encoder, list(texts), words=words)
        with torch.inference_mode():
            asked = self.model.read(encoded.rows(np.arange(len(texts))))
        with self._lock:
            self._kept[texts] = asked
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return asked


def option_of(decision: Decision, action: object) -> int | None:
    """Position of an action among the options; of a choice of several relations its first. None where it is none."""
    for i, option in enumerate(decision.actions):
        if option == action:
            return i
        if (
            isinstance(action, Choose)
            and isinstance(option, Choose)
            and option.relations == action.relations[:1]
        ):
            return i
    return None
