"""``synthesise``: trajectories for agents, from questions with answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import Bars, note, say, stoppable
from retrieval.cli.options import Asked, Encoding
from retrieval.cli.questions import of_split, read
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, TrainingDataError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.cache import cache_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrieval.kg.snapshot import Snapshot
    from retrieval.llm.replies import ReplyStore
    from retrieval.methods.graph_s3.agent.environment import World
    from retrieval.methods.graph_s3.agent.synthesis import Episode
    from retrieval.supervision.grounding import Grounded
    from retrieval.types import Progress


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Exploring:
    """Who explores, and what is kept of it.

    Attributes:
        policy: a guide that knows rational paths, or the configured language model.
        replies: llm: where replies are kept (default: in the graph's cache).
        max_tokens: llm: stop when so many tokens are used.
        max_cost: llm: stop when it has cost so much.
        concurrency: llm: questions at a time.
        labels: rational paths; found on the way when left out.
        samples: tries a question.
        astray: probability of a step at random, but in the first try.
        match: least F1 of a kept trajectory's answers; 1 is the very set.
        seed: of what is drawn at random.
    """

    policy: Literal["offline", "llm"] = "offline"
    replies: Path | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    concurrency: int = 4
    labels: Path | None = None
    samples: int = 2
    astray: float = 0.15
    match: float = 1.0
    seed: int = 0


def synthesise(
    *,
    graph: Path,
    asked: Asked,
    out: Path,
    exploring: Exploring = Exploring(),
    refined: Path | None = None,
    keep: Literal["paths", "answers"] = "paths",
    encoding: Encoding = Encoding(),
) -> int:
    """Make trajectories, keep those that end with the right answers, and write them with their shortest forms.

    With ``--policy llm`` stopped work goes on when the same command is run again: replies are kept.

    Args:
        graph: the graph's directory.
        out: JSONL; gzipped when it ends in .gz.
        refined: write the shortest form of each too.
        keep: what a shortest form keeps: the relation paths to the answers too, or the answers alone.
    """
    from retrieval.llm.replies import ReplyStore  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.synthesis import as_trajectory  # noqa: PLC0415 - imports torch
    from retrieval.methods.graph_s3.agent.synthesis import refined as shortened  # noqa: PLC0415
    from retrieval.supervision import grounding  # noqa: PLC0415
    from retrieval.supervision.trajectories import write_trajectories  # noqa: PLC0415

    llm = _language_model(exploring)
    snapshot = snapshots.open(graph)
    grounded, skipped = grounding.ground(snapshot, of_split(read(asked.questions), asked.split))
    grounding.require(grounded, skipped)
    with stoppable() as stop, Bars() as bars:
        if llm is None:
            world, episodes = _offline(
                exploring, encoding, snapshot, grounded, progress=bars, cancelled=stop.is_set
            )
        else:
            store = ReplyStore(exploring.replies or cache_of(graph) / "replies")
            world, episodes = _by_model(
                exploring, llm, store, snapshot, grounded, progress=bars, cancelled=stop.is_set
            )
        names = _names(episodes)
        short = [shortened(world, episode, keep) for episode in episodes] if refined else []
    if skipped.total:
        note(f"Skipped: {skipped}.")
    if not episodes:
        raise TrainingDataError(
            f"No trajectory of the {len(grounded):,} questions ends with their answers; {out} is not written.",
            hint="Give a smaller --match, or a question set that belongs to this graph.",
        )
    write_trajectories(out, (as_trajectory(world, e, name) for e, name in zip(episodes, names, strict=True)))
    answered = len({episode.question.question.id for episode in episodes})
    say(
        f"{out}: {len(episodes):,} trajectories of {answered:,} of {len(grounded):,} questions, {_steps(episodes)}"
    )
    if refined:
        write_trajectories(
            refined,
            (
                as_trajectory(world, e, f"{name}-refined", refined_from=name)
                for e, name in zip(short, names, strict=True)
            ),
        )
        say(f"{refined}: their shortest forms, {_steps(short)}")
    return 0


def _language_model(exploring: Exploring) -> LLMSettings | None:
    """The language model that explores; None where none is to.

    Raises:
        ConfigError: it is to and none is configured, or options are given that are for it alone.
    """
    if exploring.policy != "llm":
        if exploring.replies or exploring.max_tokens is not None or exploring.max_cost is not None:
            raise ConfigError(
                "--replies, --max-tokens and --max-cost are for --policy llm.",
                hint="Add it, or leave them out.",
            )
        return None
    settings = environment.language_model()
    if settings is None:
        raise ConfigError(
            "A language model is to make the trajectories, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use --policy offline.",
        )
    return settings


def _offline(
    exploring: Exploring,
    encoding: Encoding,
    graph: Snapshot,
    questions: Sequence[Grounded],
    *,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> tuple[World, list[Episode]]:
    """Trajectories of a guide that knows rational paths."""
    from retrieval.methods.graph_s3.agent.environment import World  # noqa: PLC0415 - imports torch
    from retrieval.methods.graph_s3.agent.frontier import Frontiers  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.synthesis import Synthesis, synthesise  # noqa: PLC0415
    from retrieval.supervision.answer_set import AnswerSetRationalizer  # noqa: PLC0415
    from retrieval.supervision.given import prefers_simple  # noqa: PLC0415
    from retrieval.supervision.labels import of_graph, read_labels  # noqa: PLC0415

    settings = Synthesis(exploring.samples, exploring.astray, exploring.match, exploring.seed)
    if exploring.labels is None:
        found = AnswerSetRationalizer().label(
            graph, questions, encoder=encoding.load(), progress=progress, cancelled=cancelled
        )
        labels, simple = list(found.labels), found.simple
    else:
        labels, misfits = of_graph(graph, read_labels(exploring.labels))
        simple = prefers_simple(graph, questions, labels)
        if misfits.total:
            note(f"Labels left out: {misfits}.")
    world = World(Frontiers(graph, simple=simple))
    return world, synthesise(world, questions, labels, settings, progress=progress, cancelled=cancelled)


def _by_model(
    exploring: Exploring,
    llm: LLMSettings,
    store: ReplyStore,
    graph: Snapshot,
    questions: Sequence[Grounded],
    *,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> tuple[World, list[Episode]]:
    """Trajectories of a language model, and what they cost."""
    from retrieval.llm.metering import Limit, Meter, metered  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.llm_synthesis import explore, world_of  # noqa: PLC0415 - imports torch

    world = world_of(graph)
    with metered(Meter(Limit(exploring.max_tokens, exploring.max_cost), whose="this synthesis")):
        found = explore(
            world, questions, llm, store,
            match=exploring.match, concurrency=exploring.concurrency, progress=progress, cancelled=cancelled,
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
