"""``ask``: one question, its answers and their evidence, or the raw events."""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING

from retrieval.cli.console import note, say, stoppable
from retrieval.errors import ConfigError, UnknownEntityError
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    Event,
    QuestionLinked,
    RunCancelled,
    RunFailed,
    to_payload,
)
from retrieval.evidence.verbalise import chain_text
from retrieval.kg import snapshot as snapshots
from retrieval.llm.settings import LLMSettings
from retrieval.loading import load_encoder, load_engine, load_parts
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.methods.registry import DEFAULT
from retrieval.pipeline import AskRequest

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.kg.snapshot import Snapshot
    from retrieval.pipeline import Engine

ANSWERS_SHOWN = 50
FAILED, INTERRUPTED = 2, 130


def ask(args: argparse.Namespace) -> int:
    """Answer one question; the exit code is 0 also for a typed no-answer."""
    if args.sparql:
        return _ask_endpoint(args)
    graph = snapshots.open(args.graph)
    given = tuple(entity_id(graph, label) for label in args.entity)
    return _answer(args, engine_for(args, graph), given)


def _ask_endpoint(args: argparse.Namespace) -> int:
    """Ask what lies in an endpoint near the entities that are given, or that the question names.

    Raises:
        UnknownEntityError: the endpoint has none of them.
    """
    from retrieval.kg.sparql.graph import SparqlGraph  # noqa: PLC0415 - loads pyoxigraph
    from retrieval.kg.sparql.options import options_from  # noqa: PLC0415 - as above

    with SparqlGraph(args.sparql, options_from(dict(options_of(args.pull)))) as remote:
        topics = remote.find(args.entity) if args.entity else remote.link(args.question)
        missing = [name for name in args.entity if name.strip() not in topics]
        if missing or not topics:
            raise UnknownEntityError(
                f"{args.sparql} has no entity {', '.join(missing)}."
                if missing
                else "No entity of the endpoint is named in the question.",
                hint="Name one with --entity, by its label or its IRI.",
            )
        found = remote.subgraph(list(topics.values()))
        cut = "; more was cut off" if found.truncated else ""
        note(
            f"{found.snapshot.num_triples:,} facts near {', '.join(topics)}, by {found.queries} queries{cut}"
        )
        args.graph = found.snapshot.path
        return _answer(args, engine_for(args, found.snapshot), found.topics)


def _answer(args: argparse.Namespace, engine: Engine, given: tuple[int, ...]) -> int:
    """Ask an engine, and show what it says."""
    request = AskRequest(args.question, given, args.budget, args.seed)
    code = 0
    with stoppable() as stop:
        for event in engine.run(request, cancelled=stop.is_set):
            if args.events:
                say(json.dumps(to_payload(event), ensure_ascii=False))
            else:
                _show(event)
            if isinstance(event, RunFailed):
                code = FAILED
            elif isinstance(event, RunCancelled):
                code = INTERRUPTED
    return code


def engine_for(args: argparse.Namespace, graph: Snapshot) -> Engine:
    """The engine that the options of ``ask`` and ``evaluate`` describe."""
    spec = EngineSpec(
        snapshot=args.graph,
        checkpoint=args.checkpoint,
        method=method_of(args.checkpoint, args.method),
        reasoner=args.reasoner,
        options=options_of(args.set),
    )
    llm = LLMSettings.from_mapping(os.environ)
    return load_engine(spec, load_parts(graph, load_encoder(args.encoder, args.device)), llm=llm)


def options_of(settings: list[str]) -> tuple[tuple[str, str | int | float | bool], ...]:
    """``name=value`` pairs; a value is a number, true or false where it reads as one.

    Raises:
        ConfigError: one is not of that form.
    """
    found = []
    for text in settings:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise ConfigError(f"--set {text!r} is not a setting.", hint="Write --set NAME=VALUE.")
        try:
            read = json.loads(value)
        except ValueError:
            read = value
        found.append((name.strip(), read if isinstance(read, (int, float, bool)) else value))
    return tuple(found)


def method_of(checkpoint: Path | None, named: str | None) -> str:
    """The method asked for: as named, else the checkpoint's own, else the default.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    if named is not None or checkpoint is None:
        return named or DEFAULT
    from retrieval.training.checkpoint import read_manifest  # noqa: PLC0415 - imports torch

    return read_manifest(checkpoint).method


def entity_id(graph: Snapshot, label: str) -> int:
    """The entity that a label means.

    Raises:
        UnknownEntityError: none of that name; offers near ones.
    """
    found = graph.labels.resolve(label)
    if found is None:
        near = ", ".join(match.node.label for match in graph.labels.search(label, 3))
        hint = f"Near names: {near}." if near else "Check the spelling."
        raise UnknownEntityError(f"The graph has no entity {label!r}.", hint=hint)
    return found


def _show(event: Event) -> None:
    """One event for people; most are silent."""
    if isinstance(event, QuestionLinked):
        for linked in event.entities:
            note(f"linked: {linked.entity.label} ({linked.source}, {linked.score:.2f})")
    elif isinstance(event, ChainsBuilt):
        for number, chain in enumerate(event.chains, start=1):
            note(f"chain {number} ({chain.score:.2f}): {chain_text(chain)}")
    elif isinstance(event, AnswerFinal):
        _show_answer(event)
    elif isinstance(event, RunFailed):
        note(f"error: {event.message} {event.hint}".rstrip())
    elif isinstance(event, RunCancelled):
        note(event.message)


def _show_answer(final: AnswerFinal) -> None:
    for warning in final.warnings:
        note(f"warning: {warning}")
    if final.no_answer is not None:
        say(
            f"no answer ({final.no_answer.reason}): {final.no_answer.message} {final.no_answer.hint}".rstrip()
        )
    for answer in final.answers[:ANSWERS_SHOWN]:
        badge = "verified" if answer.verified else "not verified"
        say(f"{answer.label}\t{answer.score:.3f}\t{badge}")
    if len(final.answers) > ANSWERS_SHOWN:
        note(f"... and {len(final.answers) - ANSWERS_SHOWN:,} more answers; --events lists all")
    note(f"{len(final.answers):,} answers in {final.took_ms:.0f} ms")
