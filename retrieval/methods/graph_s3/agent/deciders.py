"""Who decides for an agent in one graph: a trained policy, a language model, or paths that sound like the question."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from retrieval.methods.graph_s3.agent.environment import AgentLimits, AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.policy import PathsPolicy, Policy
from retrieval.methods.graph_s3.agent.prompted import PromptedPolicy
from retrieval.methods.graph_s3.agent.state import State
from retrieval.retriever import Retriever

if TYPE_CHECKING:
    from retrieval.environment import LLMSettings
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.restriction import RestrictedSnapshot
    from retrieval.methods.graph_s3.agent.language_policy import LanguagePolicy
    from retrieval.methods.graph_s3.agent.small_policy import SmallPolicy


class Deciders:
    """Who may decide in one graph.

    Args:
        trained: a checkpoint's policy; None where there is no checkpoint.
        zero_shot: stands in for it: relation paths whose words are like the question's.
        llm: the language model that decides, where it was asked for.
        simple: walks never come back to their topic.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        trained: SmallPolicy | LanguagePolicy | None,
        zero_shot: Retriever,
        llm: LLMSettings | None,
        *,
        simple: bool,
        limits: AgentLimits,
    ) -> None:
        self.world = AgentWorld(Frontiers(snapshot, simple=simple), limits)
        self.trained: SmallPolicy | LanguagePolicy | None = (
            None if trained is None else trained.apply_restriction(self.world)
        )
        self.zero_shot = zero_shot
        self.llm = llm

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Deciders:
        """The same on some facts of the graph."""
        return Deciders(
            snapshot,
            self.trained,
            self.zero_shot.apply_restriction(snapshot),
            self.llm,
            simple=self.world.frontiers.simple,
            limits=self.world.limits,
        )

    def copy_without_model(self) -> Deciders:
        """The same without a language model."""
        other = copy(self)
        other.llm = None
        return other

    def get_policy(self, state: State) -> Policy:
        """Who decides."""
        return self.get_fallback_policy(state) if self.llm is None else PromptedPolicy(self.world, self.llm)

    @property
    def prompts(self) -> Sequence[str]:
        """Names of the prompts that may be used."""
        if self.llm is not None:
            return PromptedPolicy.prompts
        return () if self.trained is None else self.trained.prompts

    def get_fallback_policy(self, state: State) -> Policy:
        """Who decides where no language model does."""
        if self.trained is not None:
            return self.trained
        paths = self.zero_shot.rank_relation_paths(state.question, state.topics, mentions=state.mentions)
        return PathsPolicy(self.world, paths)
