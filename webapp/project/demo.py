"""The demo graph: loaded at the first start as any upload would be, with its questions and the checkpoint of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from django.core.files import File
from django.db import connection

from retrieval import demo as content
from retrieval.errors import ClewError, SourceError
from retrieval.kg.readers.options import DETECT
from retrieval.questions import files as readers
from retrieval.types import Problem, QuestionRecord
from webapp.accounts.models import Role, User
from webapp.experiments import services as experiments
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph, GraphState, Seeded, Visibility
from webapp.jobs.models import Job, JobKind
from webapp.questions import services as questions
from webapp.questions.models import QuestionSet

NAME = "Demo: world geography, people and works"
DESCRIPTION = "Well-known facts about countries, people and their works, made for trying Clew out."
SET_NAME = "Demo questions"
IMPORT_WITHIN_S = 600.0
LOOK_EVERY_S = 0.1
"""Questions are answered without the checkpoint between the import's end and the next look."""


def load(*, say: Callable[[str], None], stopping: Callable[[], bool]) -> None:
    """Load what is missing of the demo, unless somebody deleted it; broken-off loading is taken up again."""
    try:
        _load(stopping)
    except (ClewError, OSError) as error:
        say(f"The demo graph could not be loaded: {error}")
    finally:
        connection.close()


def _load(stopping: Callable[[], bool]) -> None:
    if Seeded.objects.filter(name="demo").exists():
        return
    user = User.objects.filter(role=Role.ADMIN).order_by("pk").first()
    graph = Graph.objects.filter(name=NAME).first()
    if graph is None:
        with ExitStack() as stack:
            files = [File(stack.enter_context(path.open("rb")), name=path.name) for path in content.FACTS]
            graph, _ = graphs.create_graph(
                name=NAME,
                description=DESCRIPTION,
                visibility=Visibility.PUBLIC,
                files=files,
                options=DETECT,
                user=user,
                examples=content.EXAMPLES,
            )
    question_set = QuestionSet.objects.filter(graph=graph, name=SET_NAME).first()
    if question_set is None:
        question_set = questions.save_question_set(
            name=SET_NAME,
            graph=graph,
            questions=_read_questions(content.QUESTIONS),
            format="jsonl",
            user=user,
        )
    deadline = time.monotonic() + IMPORT_WITHIN_S
    while graph.state == GraphState.IMPORTING and time.monotonic() < deadline and not stopping():
        time.sleep(LOOK_EVERY_S)
        graph.refresh_from_db()
    if graph.state != GraphState.READY:
        return
    trained = experiments.adopt_checkpoint(graph=graph, trained=content.CHECKPOINT, question_set=question_set)
    if trained is None and not Job.objects.filter(graph=graph, kind=JobKind.TRAIN).exists():
        # It fits another text encoder: what answers here has to learn first.
        experiments.start_training(
            graph=graph, question_set=question_set, training=experiments.Training(content.METHOD), user=user
        )
    Seeded.objects.create(name="demo")


def _read_questions(files: dict[str, Path]) -> list[QuestionRecord]:
    """The demo's questions, each with the split whose file it stands in."""
    return [
        replace(question, split=split)
        for split, path in files.items()
        for question in readers.read_questions(path, problems=_raise_problem)
    ]


def _raise_problem(problem: Problem) -> None:
    raise SourceError(f"{problem.file}, line {problem.line}: {problem.message}")
