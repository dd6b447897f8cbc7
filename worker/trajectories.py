"""Synthesis: a question set in, trajectories that an agent learns from out, before and after refinement."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celery import shared_task

from retrieval.errors import Cancelled, ConfigError, TrainingDataError
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.llm.metering import use_meter
from webapp.experiments import trajectories
from webapp.experiments.models import TrajectorySet
from webapp.experiments.trajectories import LLM, PAIRS, RAW, REFINED
from webapp.graphs import files
from webapp.graphs.selectors import require_version
from webapp.jobs import queue
from webapp.questions.selectors import to_engine_questions
from worker import answerers, job_runs, language_models

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.methods.graph_s3.agent.environment import AgentWorld
    from retrieval.methods.graph_s3.agent.synthesis import Episode
    from retrieval.supervision.grounding import Grounded


@shared_task(name=queue.SYNTHESISE)
def synthesise(job_id: int) -> None:
    """Make trajectories as a job says."""
    job_runs.run(job_id, make_trajectories)


def make_trajectories(context: job_runs.Context) -> dict[str, Any]:
    """Make the trajectories of all questions that are not for testing, and their shortest forms."""
    from retrieval.supervision import grounding  # noqa: PLC0415

    graph = context.job.graph
    made = TrajectorySet.objects.select_related("question_set").filter(job=context.job).first()
    if made is None:
        raise Cancelled("The trajectory set was deleted.")
    if made.question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose another one.")
    version = require_version(graph, made.snapshot_hash)
    questions = [q for q in to_engine_questions(made.question_set) if q.split != "test"]
    path = files.ensure_local_path(version.path)
    snapshot = kg.open(path)
    grounded, skipped = grounding.resolve_questions(snapshot, questions)
    grounding.require(grounded, skipped)
    if made.policy == LLM:
        world, episodes, usage = _generate_by_model(
            context, made, snapshot, grounded, get_cache_folder(path) / "replies"
        )
    else:
        world, episodes, usage = *_generate_offline(context, made, snapshot, grounded), {}
    context.check()
    if not episodes:
        raise TrainingDataError(
            f"No trajectory of the {len(grounded):,} questions ends with their answers.",
            hint="Ask for a smaller match, or use a question set that belongs to this graph.",
        )
    steps = _write(made, world, episodes)
    for form in (RAW, REFINED, PAIRS):
        files.send(files.build_trajectories_name(made.graph_id, made.pk, form))
    kept = trajectories.save_trajectories(
        made=made,
        questions=len(questions),
        answered=len({episode.question.question.id for episode in episodes}),
        trajectories=len(episodes),
        raw_steps=steps[0],
        refined_steps=steps[1],
        usage=usage,
    )
    if not kept:
        trajectories.remove_files(graph.pk, made.pk)
        raise Cancelled("The trajectory set was deleted.")
    notes = [f"Questions left out: {skipped}."] if skipped.total else []
    return {"trajectory_set": made.pk, "trajectories": len(episodes), "notes": notes}


def _generate_offline(
    context: job_runs.Context, made: TrajectorySet, snapshot: Snapshot, grounded: Sequence[Grounded]
) -> tuple[AgentWorld, list[Episode]]:
    from retrieval.methods.graph_s3.agent.environment import AgentWorld  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.frontier import Frontiers  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.synthesis import Synthesis, generate_episodes  # noqa: PLC0415
    from retrieval.supervision.answer_set import AnswerSetRationalizer  # noqa: PLC0415

    encoder = answerers.get_encoder()
    context.check()
    labelled = AnswerSetRationalizer().label(
        snapshot, grounded, encoder=encoder, progress=context.update_progress, cancelled=context.is_cancelled
    )
    world = AgentWorld(Frontiers(snapshot, simple=labelled.simple))
    settings = Synthesis(**made.settings)
    return world, generate_episodes(
        world,
        grounded,
        labelled.labels,
        settings,
        progress=context.update_progress,
        cancelled=context.is_cancelled,
    )


def _generate_by_model(
    context: job_runs.Context,
    made: TrajectorySet,
    snapshot: Snapshot,
    grounded: Sequence[Grounded],
    replies: Path,
) -> tuple[AgentWorld, list[Episode], dict[str, Any]]:
    from retrieval.llm.replies import ReplyStore  # noqa: PLC0415
    from retrieval.methods.graph_s3.agent.llm_synthesis import collect_explorations, make_world  # noqa: PLC0415

    llm = language_models.get_default_settings()
    if llm is None:
        raise ConfigError("No language model is set up any more.", hint="Choose the offline policy.")
    world = make_world(snapshot)
    with use_meter(language_models.make_job_meter(context.job.user_id)):
        exploration = collect_explorations(
            world,
            grounded,
            llm,
            ReplyStore(replies),
            match=made.settings["match"],
            progress=context.update_progress,
            cancelled=context.is_cancelled,
        )
    usage = exploration.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    return world, exploration.episodes, {"llm_calls": usage.llm_calls, "tokens": tokens}


def _write(made: TrajectorySet, world: AgentWorld, episodes: Sequence[Episode]) -> tuple[int, int]:
    """Write the trajectories, their shortest forms, and both side by side; how many steps each have in all."""
    from retrieval.methods.graph_s3.agent.synthesis import make_refined, to_trajectory  # noqa: PLC0415
    from retrieval.supervision.trajectories import to_trajectory_row  # noqa: PLC0415

    paths = {
        form: files.ensure_local_path(files.build_trajectories_name(made.graph_id, made.pk, form))
        for form in (RAW, REFINED, PAIRS)
    }
    paths[RAW].parent.mkdir(parents=True, exist_ok=True)
    opened = {form: path.open("w", encoding="utf-8") for form, path in paths.items()}
    counted: Counter[str] = Counter()
    steps = [0, 0]
    try:
        for episode in episodes:
            key = episode.question.question.id
            counted[key] += 1
            name = f"{key}#{counted[key]}"
            raw = to_trajectory_row(to_trajectory(world, episode, name))
            short = to_trajectory_row(
                to_trajectory(world, make_refined(world, episode), f"{name}-refined", refined_from=name)
            )
            kept = find_kept_positions(raw["actions"], short["actions"])
            steps[0] += len(raw["actions"])
            steps[1] += len(short["actions"])
            for form, row in ((RAW, raw), (REFINED, short), (PAIRS, {**raw, "kept": kept})):
                opened[form].write(json.dumps(row, ensure_ascii=False) + "\n")
    finally:
        for file in opened.values():
            file.close()
    return steps[0], steps[1]


def find_kept_positions(raw: Sequence[dict[str, Any]], short: Sequence[dict[str, Any]]) -> list[int]:
    """Positions in a trajectory of the actions that its shortest form has, the last ones that fit.

    Frontiers are numbered anew by refinement, so that explorations are compared by whether they are of the topics.
    """
    kept: list[int] = []
    wanted = len(short) - 1
    for position in range(len(raw) - 1, -1, -1):
        if wanted >= 0 and _is_same_action(raw[position], short[wanted]):
            kept.append(position)
            wanted -= 1
    return kept[::-1]


def _is_same_action(first: dict[str, Any], second: dict[str, Any]) -> bool:
    if "front" in first and "front" in second:
        return bool((first["front"] == 0) == (second["front"] == 0))
    return bool(first == second)
