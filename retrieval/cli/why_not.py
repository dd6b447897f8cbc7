"""``why-not``: why a question does not give an answer that somebody expects, and what would bring it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import to_jsonable_python

from retrieval import environment
from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.cli.asking import resolve_entity
from retrieval.cli.console import print_note, print_result, watch_interrupts
from retrieval.cli.options import Answering, Encoding, Repeated, parse_settings, resolve_method
from retrieval.kg import snapshot as snapshots
from retrieval.language.question import Question

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.diagnosis.findings import Remedy, WhyNot
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.encoder import Encoder

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
    from retrieval.diagnosis.why_not import explain_missing_answer as diagnosed  # noqa: PLC0415 - as above

    snapshot, encoder = snapshots.open(graph), encoding.load()
    answerer = _open_answerer(answering, encoder, snapshot)
    topics = tuple(resolve_entity(snapshot, label) for label in entity)
    request = AskRequest(Question(question), topics, answering.budget, answering.seed)
    with watch_interrupts() as stop:
        tools = Tools(encoder.encode, partial(_open_answerer, answering, encoder), stop.is_set)
        diagnosis = diagnosed(answerer, request, expected, tools)
    if as_json:
        print_result(json.dumps(to_jsonable_python(diagnosis), ensure_ascii=False))
    else:
        _show(diagnosis)
    return 0


def _open_answerer(answering: Answering, encoder: Encoder, snapshot: Snapshot) -> Answerer:
    spec = AnswererSpec(
        snapshot=snapshot.path,
        checkpoint=answering.checkpoint,
        method=resolve_method(answering.checkpoint, answering.method),
        reasoner=answering.reasoner,
        options=parse_settings(answering.settings),
    )
    return load_answerer(spec, load_parts(snapshot, encoder), llm=environment.read_llm_settings())


def _show(diagnosis: WhyNot) -> None:
    for check in diagnosis.checks[:-1]:
        print_note(f"{MARKS[check.passed]}: {check.text}")
    print_result(f"{diagnosis.stage}: {diagnosis.summary}")
    if diagnosis.near:
        print_note(f"Did you mean {', '.join(diagnosis.near)}?")
    for remedy in diagnosis.remedies:
        print_result(f"- {remedy.text} {_format_trial(remedy)}")


def _format_trial(remedy: Remedy) -> str:
    trial = remedy.trial
    if trial is None:
        return "(not tried)"
    answers = "; ".join(trial.answers) or "no answer"
    if trial.works:
        return f"(tried: answer {trial.place} of {trial.count})"
    return f"(tried: does not bring it, but {answers})"
