"""``synthesise``: trajectories for agents, from questions with answers."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from retrieval.cli.console import Bars, note, say, stoppable
from retrieval.cli.questions import of_split, read
from retrieval.errors import TrainingDataError
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.agents.synthesis import Episode


def synthesise(args: argparse.Namespace) -> int:
    """Make trajectories, keep those that end with the right answers, and write them with their shortest forms."""
    from retrieval.agents.environment import World  # noqa: PLC0415 - imports torch
    from retrieval.agents.fronts import Fronts  # noqa: PLC0415
    from retrieval.agents.synthesis import Synthesis, as_trajectory, refined, synthesise  # noqa: PLC0415
    from retrieval.agents.trajectories import write_trajectories  # noqa: PLC0415
    from retrieval.supervision import grounding  # noqa: PLC0415
    from retrieval.supervision.answer_set import AnswerSetRationalizer  # noqa: PLC0415
    from retrieval.supervision.given import prefers_simple  # noqa: PLC0415
    from retrieval.supervision.labels import of_graph, read_labels  # noqa: PLC0415

    graph = snapshots.open(args.graph)
    grounded, skipped = grounding.ground(graph, of_split(read(args.questions), args.split))
    grounding.require(grounded, skipped)
    settings = Synthesis(args.samples, args.astray, args.match, args.seed)
    with stoppable() as stop, Bars() as bars:
        if args.labels is None:
            encoder = load_encoder(args.encoder, args.device)
            found = AnswerSetRationalizer().label(
                graph, grounded, encoder=encoder, progress=bars, cancelled=stop.is_set
            )
            labels, simple = list(found.labels), found.simple
        else:
            labels, misfits = of_graph(graph, read_labels(args.labels))
            simple = prefers_simple(graph, grounded, labels)
            if misfits.total:
                note(f"Labels left out: {misfits}.")
        world = World(Fronts(graph, simple=simple))
        episodes = synthesise(world, grounded, labels, settings, progress=bars, cancelled=stop.is_set)
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
