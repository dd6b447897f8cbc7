"""One search of Graph-S3's agent: its steps, chosen by the policy or a person, until the end or a pause."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from retrieval.answering.run import PipelineRun, Steering
from retrieval.errors import LLMError
from retrieval.events import AgentStep, RunPaused
from retrieval.methods.graph_s3.agent.deciders import Deciders
from retrieval.methods.graph_s3.agent.event_mapping import build_step_event, list_alternatives
from retrieval.methods.graph_s3.agent.policy import Policy, ScoredAction, explain_action
from retrieval.methods.graph_s3.agent.state import State
from retrieval.methods.graph_s3.agent.translation import read_agent_action
from retrieval.types import Usage

_PAUSED = "The search waits. Let it go on, take steps back, or choose what it does next."


@dataclass(slots=True)
class AgentSearch:
    """One search, and where it stands.

    Attributes:
        deciders: who explores.
        state: after the last step.
        probability: of what the policy did so far; what a person chose is certain.
        corrected: a person chose some of it.
        usage: of policies that were given up.
    """

    deciders: Deciders
    state: State
    policy: Policy
    probability: float = 1.0
    corrected: bool = False
    usage: Usage = field(default_factory=Usage)
    warnings: list[str] = field(default_factory=list)

    def run_steps(self, run: PipelineRun, steering: Steering) -> Iterator[AgentStep | RunPaused]:
        """The steps: first those that were chosen before, then the policy's, until the end or a pause."""
        world, refused = self.deciders.world, False
        while self._open() or self.state.steps < len(steering.actions):
            run.check()
            done = self.state.steps
            far = steering.pause_after is not None and done - steering.shown >= steering.pause_after
            if done >= steering.shown and (refused or far or run.pausing()):
                yield self._pause(run)
                return
            known = steering.actions[done] if done < len(steering.actions) else None
            if known is not None and done < steering.shown:
                self.corrected |= done + 1 in steering.by_person
                self.state, _ = world.apply_action(self.state, read_agent_action(world, self.state, known))
                continue
            began = time.perf_counter()
            by: Literal["policy", "person"] = "person" if done + 1 in steering.by_person else "policy"
            proposed = self._propose_actions(run, only_options=known is not None)
            if known is not None:
                action = read_agent_action(world, self.state, known)
                mine = next((each for each in proposed if each.action == action), ScoredAction(action))
                why = mine.thought or explain_action(world, self.state, action)
                why = "Chosen by a person." if by == "person" else why
            elif proposed:
                mine, action, why = proposed[0], proposed[0].action, proposed[0].thought
            else:
                break
            self.corrected |= by == "person"
            if by == "policy" and mine.probability is not None:
                self.probability *= mine.probability
            options = list_alternatives(world, self.state, proposed, action)
            before = self.state
            self.state, observation = world.apply_action(before, action)
            refused = by == "person" and not observation.valid
            yield build_step_event(
                world, (before, self.state), action, observation,
                thought=why, options=options, by=by, took_ms=run.measure_ms(began),
            )  # fmt: skip
        if refused:
            yield self._pause(run)
        elif not self.state.ended:
            self.warnings.append(f"The search was cut off after {self.state.steps} steps.")

    def _open(self) -> bool:
        return not self.state.ended and self.state.steps < self.deciders.world.limits.steps

    def _propose_actions(self, run: PipelineRun, *, only_options: bool = False) -> Sequence[ScoredAction]:
        """What the policy would do; one that needs no language model takes over when that fails.

        Args:
            only_options: what is done is known: a language model is not asked for its opinion.
        """
        if only_options and self.policy.prompts:
            return ()
        try:
            return self.policy.propose(self.state, cancelled=run.cancelled)
        except LLMError as error:
            note = f"{error.message} {error.hint}".strip()
            self.warnings.append(f"{note} The search went on without it.")
            self.usage = self.usage.add(self.policy.usage)
            self.policy = self.deciders.get_fallback_policy(self.state)
            return self.policy.propose(self.state, cancelled=run.cancelled)

    def _pause(self, run: PipelineRun) -> RunPaused:
        proposed = self._propose_actions(run, only_options=True)
        options = list_alternatives(self.deciders.world, self.state, proposed)
        last = self.state.history[-1] if self.state.history else None
        message = _PAUSED if last is None or last.valid else f"That is not possible: {last.said}"
        return RunPaused(self.state.steps, message, options)
