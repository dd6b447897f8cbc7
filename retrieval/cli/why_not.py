"""``why-not``: why a question does not give an answer that somebody expects, and what would bring it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import to_jsonable_python

from retrieval import environment
from retrieval.cli.asking import entity_id
from retrieval.cli.console import note, say, stoppable
from retrieval.cli.options import Answering, Encoding, Repeated, method_of, settings_of
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_engine, load_parts
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.pipeline import AskRequest

if TYPE_CHECKING:
    from retrieval.diagnosis.findings import Remedy, WhyNot
    from retrieval.kg.snapshot import Snapshot
    from retrieval.pipeline import Engine
    from retrieval.text.encoder import Encoder

MARKS = {True: "yes", False: "no", None: "?"}


def why_not(
    question: str,
    expected: str,
    /,
    *,
    graph: Path,
    entity: Repeated = (),
    as_json: bool = False,
    answering: Answering = Answering(),
    encoding: Encoding = Encoding(),
) -> int:
    """Ask a question, and find where an expected answer is lost; changes that may bring it are tried.

    Args:
        question: in words.
        expected: name of the answer that is expected.
        graph: the directory of a graph.
        entity: label of a topic entity, instead of linking; repeatable.
        as_json: print everything as one line of JSON.

    Raises:
        QuestionError: the run broke.
        UnknownEntityError: the graph has no such topic.
    """
    from retrieval.diagnosis.case import Tools  # noqa: PLC0415 - loads torch
    from retrieval.diagnosis.why_not import why_not as diagnosed  # noqa: PLC0415 - as above

    snapshot, encoder = snapshots.open(graph), encoding.load()
    engine = _engine(answering, encoder, snapshot)
    given = tuple(entity_id(snapshot, label) for label in entity)
    request = AskRequest(question, given, answering.budget, answering.seed)
    with stoppable() as stop:
        tools = Tools(encoder.encode, partial(_engine, answering, encoder), stop.is_set)
        found = diagnosed(engine, request, expected, tools)
    if as_json:
        say(json.dumps(to_jsonable_python(found), ensure_ascii=False))
    else:
        _show(found)
    return 0


def _engine(answering: Answering, encoder: Encoder, snapshot: Snapshot) -> Engine:
    spec = EngineSpec(
        snapshot=snapshot.path,
        checkpoint=answering.checkpoint,
        method=method_of(answering.checkpoint, answering.method),
        reasoner=answering.reasoner,
        options=settings_of(answering.settings),
    )
    return load_engine(spec, load_parts(snapshot, encoder), llm=environment.language_model())


def _show(found: WhyNot) -> None:
    for check in found.checks[:-1]:
        note(f"{MARKS[check.passed]}: {check.text}")
    say(f"{found.stage}: {found.summary}")
    if found.near:
        note(f"Did you mean {', '.join(found.near)}?")
    for remedy in found.remedies:
        say(f"- {remedy.text} {_tried(remedy)}")


def _tried(remedy: Remedy) -> str:
    trial = remedy.trial
    if trial is None:
        return "(not tried)"
    answers = "; ".join(trial.answers) or "no answer"
    if trial.works:
        return f"(tried: answer {trial.place} of {trial.count})"
    return f"(tried: does not bring it, but {answers})"
