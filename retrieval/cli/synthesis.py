"""``synthesise``: trajectories for agents, from questions with answers."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from typing import TYPE_CHECKING

from retrieval.cli.console import Bars, note, say, stoppable
from retrieval.cli.questions import of_split, read
from retrieval.errors import ConfigError, TrainingDataError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.cache import cache_of
from retrieval.llm.settings import LLMSettings
from retrieval.loading import load_encoder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrieval.kg.snapshot import Snapshot
    from retrieval.methods.graph_s3.agent.environment import World
    from retrieval.methods.graph_s3.agent.synthesis import Episode
    from retrieval.supervision.grounding import Grounded
    from retrieval.types import Progress


def synthesise(args: argparse.Namespace) -> int:
    """Make trajectories, keep those that end with the right answers, and write them with their shortest forms.

    With ``--policy llm`` stopped work goes on when the same command is run again: replies are kept.
    """
    from retrieval.methods.graph_s3.agent.synthesis import as_trajectory, refined  # noqa: PLC0415 - imports torch
    from retrieval.supervision import grounding  # noqa: PLC0415
    from retrieval.supervision.trajectories import write_trajectories  # noqa: PLC0415

    llm = _language_model(args)
    graph = snapshots.open(args.graph)
    grounded, skipped = grounding.ground(graph, of_split(read(args.questions), args.split))
    grounding.require(grounded, skipped)
    with stoppable() as stop, Bars() as bars:
        if llm is None:
            world, episodes = _offline(args, graph, grounded, progress=bars, cancelled=stop.is_set)
        else:
            world, episodes = _by_model(args, llm, graph, grounded, progress=bars, cancelled=stop.is_set)
        names = _names(episodes)
        short = [refined(world, episode, args.keep) for episode in episodes] if args.refined else []
    if skipped.total:
        note(f"Skipped: {skipped}.")
    if not episodes:
        raise TrainingDataError(
            f"No trajectory of the {len(grounded):,} questions ends with their answers; {args.out} is not written.",
            hint="Give a smaller --match, or a question set that belongs to this graph.",
        )
    write_trajectories(
        args.out, (as_trajectory(world, e, name) for e, name in zip(episodes, names, strict=True))
    )
    answered = len({episode.question.question.id for episode in episodes})
    say(
        f"{args.out}: {len(episodes):,} trajectories of {answered:,} of {len(grounded):,} questions, {_steps(episodes)}"
    )
    if args.refined:
        write_trajectories(
            args.refined,
            (
                as_trajectory(world, e, f"{name}-refined", refined_from=name)
                for e, name in zip(short, names, strict=True)
            ),
        )
        say(f"{args.refined}: their shortest forms, {_steps(short)}")
    return 0


def _language_model(args: argparse.Namespace) -> LLMSettings | None:
    """The language model that explores; None where none is to.

    Raises:
        ConfigError: it is to and none is configured, or options are given that are for it alone.
    """
    if args.policy != "llm":
        if args.replies or args.max_tokens is not None or args.max_cost is not None:
            raise ConfigError(
                "--replies, --max-tokens and --max-cost are for --policy llm.",
                hint="Add it, or leave them out.",
            )
        return None
    settings = LLMSettings.from_mapping(os.environ)
    if settings is None:
        raise ConfigError(
            "A language model is to make the trajectories, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use --policy offline.",
        )
    return settings


def _offline(
    args: argparse.Namespace,
    graph: Snapshot,
    questions: Sequence[Grounded],
    *,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> tuple[World, list[Episode]]:
    """Trajectories of a guide that knows rational paths."""
    from retrieval.methods.graph_s3.agent.environment import World  # noqa: PLC0415 - imports torch
    from retrieval.methods.graph_s3.agent.fronts import Fronts  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.synthesis import Synthesis, synthesise  # noqa: PLC0415
    from retrieval.supervision.answer_set import AnswerSetRationalizer  # noqa: PLC0415
    from retrieval.supervision.given import prefers_simple  # noqa: PLC0415
    from retrieval.supervision.labels import of_graph, read_labels  # noqa: PLC0415

    settings = Synthesis(args.samples, args.astray, args.match, args.seed)
    if args.labels is None:
        encoder = load_encoder(args.encoder, args.device)
        found = AnswerSetRationalizer().label(
            graph, questions, encoder=encoder, progress=progress, cancelled=cancelled
        )
        labels, simple = list(found.labels), found.simple
    else:
        labels, misfits = of_graph(graph, read_labels(args.labels))
        simple = prefers_simple(graph, questions, labels)
        if misfits.total:
            note(f"Labels left out: {misfits}.")
    world = World(Fronts(graph, simple=simple))
    return world, synthesise(world, questions, labels, settings, progress=progress, cancelled=cancelled)


def _by_model(
    args: argparse.Namespace,
    llm: LLMSettings,
    graph: Snapshot,
    questions: Sequence[Grounded],
    *,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> tuple[World, list[Episode]]:
    """Trajectories of a language model, and what they cost."""
    from retrieval.llm.metering import Limit, Meter, metered  # noqa: PLC0415
    from retrieval.llm.replies import ReplyStore  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.behaviour import explore, world_of  # noqa: PLC0415 - imports torch

    world = world_of(graph)
    store = ReplyStore(args.replies or cache_of(args.graph) / "replies")
    with metered(Meter(Limit(args.max_tokens, args.max_cost), whose="this synthesis")):
        found = explore(
            world, questions, llm, store,
            match=args.match, concurrency=args.concurrency, progress=progress, cancelled=cancelled,
        )  # fmt: skip
    spent = found.usage
    cost = "" if spent.cost is None else f", cost {spent.cost:.4f}"
    say(
        f"usage\t{spent.llm_calls:,} calls\t{spent.prompt_tokens:,} prompt and "
        f"{spent.completion_tokens:,} completion tokens{cost}; replies that were kept cost nothing"
    )
    say(
        f"thrown away\t{found.wrong:,} that ended with other answers, {found.lost:,} that did not end; "
        f"{found.failed:,} were not answered and are asked for again next time"
    )
    return world, found.episodes


def _names(episodes: Sequence[Episode]) -> list[str]:
    """Ids of trajectories: the question's, counted."""
    counted: Counter[str] = Counter()
    names = []
    for episode in episodes:
        key = episode.question.question.id
        counted[key] += 1
        names.append(f"{key}#{counted[key]}")
    return names


def _steps(episodes: Sequence[Episode]) -> str:
    return f"{sum(len(episode.actions) for episode in episodes) / max(len(episodes), 1):.2f} steps on average"
