"""``synthesise``: trajectories for agents, from questions with answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import Bars, print_note, print_result, watch_interrupts
from retrieval.cli.options import Encoding, QuestionOptions
from retrieval.cli.questions import filter_split, read
from retrieval.environment import LLMSettings
from retrieval.errors import ConfigError, TrainingDataError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot.cache import get_cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrieval.kg.snapshot import Snapshot
    from retrieval.llm.replies import ReplyStore
    from retrieval.methods.graph_s3.agent.environment import AgentWorld
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
    question_options: QuestionOptions,
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
    from retrieval.methods.graph_s3.agent.synthesis import make_refined as shortened  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.synthesis import to_trajectory  # noqa: PLC0415 - imports torch
    from retrieval.supervision import grounding  # noqa: PLC0415
    from retrieval.supervision.trajectories import write_trajectories  # noqa: PLC0415

    llm = _get_language_model(exploring)
    snapshot = snapshots.open(graph)
    grounded, skipped = grounding.resolve_questions(
        snapshot, filter_split(read(question_options.questions), question_options.split)
    )
    grounding.require(grounded, skipped)
    with watch_interrupts() as stop, Bars() as bars:
        if llm is None:
            world, episodes = _make_offline(
                exploring, encoding, snapshot, grounded, progress=bars, cancelled=stop.is_set
            )
        else:
            store = ReplyStore(exploring.replies or get_cache_folder(graph) / "replies")
            world, episodes = _make_by_model(
                exploring, llm, store, snapshot, grounded, progress=bars, cancelled=stop.is_set
            )
        names = _build_names(episodes)
        short = [shortened(world, episode, keep) for episode in episodes] if refined else []
    if skipped.total:
        print_note(f"Skipped: {skipped}.")
    if not episodes:
        raise TrainingDataError(
            f"No trajectory of the {len(grounded):,} questions ends with their answers; {out} is not written.",
            hint="Give a smaller --match, or a question set that belongs to this graph.",
        )
    write_trajectories(out, (to_trajectory(world, e, name) for e, name in zip(episodes, names, strict=True)))
    answered = len({episode.question.question.id for episode in episodes})
    print_result(
        f"{out}: {len(episodes):,} trajectories of {answered:,} of {len(grounded):,} questions, "
        f"{_format_steps(episodes)}"
    )
    if refined:
        write_trajectories(
            refined,
            (
                to_trajectory(world, e, f"{name}-refined", refined_from=name)
                for e, name in zip(short, names, strict=True)
            ),
        )
        print_result(f"{refined}: their shortest forms, {_format_steps(short)}")
    return 0


def _get_language_model(exploring: Exploring) -> LLMSettings | None:
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
    settings = environment.read_llm_settings()
    if settings is None:
        raise ConfigError(
            "A language model is to make the trajectories, and none is configured.",
            hint="Set LLM_BASE_URL and LLM_MODEL, or use --policy offline.",
        )
    return settings


def _make_offline(
    exploring: Exploring,
    encoding: Encoding,
    graph: Snapshot,
    questions: Sequence[Grounded],
    *,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> tuple[AgentWorld, list[Episode]]:
    """Trajectories of a guide that knows rational paths."""
    from retrieval.methods.graph_s3.agent.environment import AgentWorld  # noqa: PLC0415 - imports torch
    from retrieval.methods.graph_s3.agent.frontier import Frontiers  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.synthesis import Synthesis, generate_episodes  # noqa: PLC0415
    from retrieval.supervision.answer_set import AnswerSetRationalizer  # noqa: PLC0415
    from retrieval.supervision.labels import filter_labels, read_labels  # noqa: PLC0415
    from retrieval.supervision.provided_labels import should_use_simple_walks  # noqa: PLC0415

    settings = Synthesis(exploring.samples, exploring.astray, exploring.match, exploring.seed)
    if exploring.labels is None:
        labelling = AnswerSetRationalizer().label(
            graph, questions, encoder=encoding.load(), progress=progress, cancelled=cancelled
        )
        labels, simple = list(labelling.labels), labelling.simple
    else:
        labels, misfits = filter_labels(graph, read_labels(exploring.labels))
        simple = should_use_simple_walks(graph, questions, labels)
        if misfits.total:
            print_note(f"Labels left out: {misfits}.")
    world = AgentWorld(Frontiers(graph, simple=simple))
    return world, generate_episodes(world, questions, labels, settings, progress=progress, cancelled=cancelled)


def _make_by_model(
    exploring: Exploring,
    llm: LLMSettings,
    store: ReplyStore,
    graph: Snapshot,
    questions: Sequence[Grounded],
    *,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> tuple[AgentWorld, list[Episode]]:
    """Trajectories of a language model, and what they cost."""
    from retrieval.llm.metering import Limit, Meter, use_meter  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.llm_synthesis import collect_explorations, make_world  # noqa: PLC0415 - imports torch

    world = make_world(graph)
    with use_meter(Meter(Limit(exploring.max_tokens, exploring.max_cost), whose="this synthesis")):
        exploration = collect_explorations(
            world, questions, llm, store,
            match=exploring.match, concurrency=exploring.concurrency, progress=progress, cancelled=cancelled,
        )  # fmt: skip
    spent = exploration.usage
    cost = "" if spent.cost is None else f", cost {spent.cost:.4f}"
    print_result(
        f"usage\t{spent.llm_calls:,} calls\t{spent.prompt_tokens:,} prompt and "
        f"{spent.completion_tokens:,} completion tokens{cost}; replies that were kept cost nothing"
    )
    print_result(
        f"thrown away\t{exploration.wrong:,} that ended with other answers, {exploration.lost:,} that did not end; "
        f"{exploration.failed:,} were not answered and are asked for again next time"
    )
    return world, exploration.episodes


def _build_names(episodes: Sequence[Episode]) -> list[str]:
    """Ids of trajectories: the question's, counted."""
    counted: Counter[str] = Counter()
    names = []
    for episode in episodes:
        key = episode.question.question.id
        counted[key] += 1
        names.append(f"{key}#{counted[key]}")
    return names


def _format_steps(episodes: Sequence[Episode]) -> str:
    return f"{sum(len(episode.actions) for episode in episodes) / max(len(episodes), 1):.2f} steps on average"
