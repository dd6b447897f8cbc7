"""``ask``: one question, its answers and their evidence, or the raw events."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import note, say, stoppable
from retrieval.cli.options import Answering, Encoding, Repeated, method_of, settings_of
from retrieval.errors import ConfigError, UnknownEntityError
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    Event,
    ProgramExecuted,
    QuestionLinked,
    QuestionRewritten,
    RunCancelled,
    RunFailed,
    SubgraphExtracted,
    to_payload,
)
from retrieval.evidence.verbalise import chain_text
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_engine, load_parts
from retrieval.methods._shared.endpoint_engine import EndpointAsking, EndpointRequest
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.pipeline import AskRequest
from retrieval.types import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph
    from retrieval.pipeline import Engine

    Asked = Callable[[Callable[[], bool]], Iterator[Event]]
    """Given what says Stop, the events of one question."""

ANSWERS_SHOWN = 50
FAILED, INTERRUPTED = 2, 130


def ask(
    question: str,
    /,
    *,
    graph: Annotated[Path | None, Parameter(name=("--graph", "--corpus"))] = None,
    sparql: str | None = None,
    pull: Repeated = (),
    entity: Repeated = (),
    then: Repeated = (),
    events: bool = False,
    answering: Answering = Answering(),
    encoding: Encoding = Encoding(),
) -> int:
    """Answer one question; the exit code is 0 also for a typed no-answer.

    Args:
        question: in words.
        graph: the directory of a graph.
        sparql: the address of an endpoint, of which only what is near the topics is read (docs/formats.md).
        pull: NAME=VALUE, of --sparql: timeout, hops, max_triples, per_entity, graph; repeatable.
        entity: label of a topic entity, instead of linking; repeatable.
        then: a follow-up over what was answered before, such as "and its population?"; repeatable.
        events: print every event as one line of JSON.

    Raises:
        ConfigError: neither a graph nor an endpoint is named, or both are.
        UnknownEntityError: the graph or the endpoint has no such entity.
    """
    if (graph is None) == (sparql is None):
        raise ConfigError("Ask a graph or an endpoint.", hint="Give --graph DIR or --sparql URL.")
    request = AskRequest(question, (), answering.budget, answering.seed)
    if graph is not None:
        snapshot = snapshots.open(graph)
        given = tuple(entity_id(snapshot, label) for label in entity)
        engine = engine_for(answering, encoding, snapshot, graph)
        code, turn = _answer(_run(engine, replace(request, given=given)), question, events=events)
        for follow_up in then:
            note(f"> {follow_up}")
            leaning = replace(request, question=follow_up, follows=turn)
            code, turn = _answer(_run(engine, leaning), follow_up, events=events)
        return code
    if then:
        raise ConfigError("A graph in an endpoint has no follow-ups.", hint="Give --graph DIR.")
    assert sparql is not None
    with _remote(sparql, pull) as remote:
        topics = _topics(remote, entity)
        asking = EndpointAsking(
            remote,
            method_of(answering.checkpoint, answering.method),
            encoding.load(),
            _Numbers().of,
            answering.reasoner,
            environment.language_model(),
            answering.checkpoint,
            settings_of(answering.settings),
        )
        request_there = EndpointRequest(question, topics, answering.budget, answering.seed)
        return _answer(lambda stop: asking.run(request_there, cancelled=stop), question, events=events)[0]


@contextmanager
def _remote(url: str, pull: tuple[str, ...]) -> Iterator[SparqlGraph]:
    """An endpoint, opened."""
    from retrieval.kg.sparql.graph import SparqlGraph  # noqa: PLC0415 - loads pyoxigraph
    from retrieval.kg.sparql.options import options_from  # noqa: PLC0415 - as above

    with SparqlGraph(url, options_from(dict(settings_of(pull)))) as remote:
        yield remote


def _topics(remote: SparqlGraph, entity: tuple[str, ...]) -> tuple[str, ...]:
    """The IRIs of entities that are given by label or IRI."""
    found = remote.find(entity)
    missing = [name for name in entity if name.strip() not in found]
    if missing:
        raise UnknownEntityError(
            f"{remote.endpoint} has no entity {', '.join(missing)}.",
            hint="Name one by its label as it is spelt there, or by its IRI.",
        )
    return tuple(found.values())


class _Numbers:
    """Numbers for what an endpoint calls by IRIs, in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, terms: Sequence[str]) -> Mapping[str, int]:
        """See :data:`retrieval.methods._shared.endpoint_engine.Numbering`."""
        for term in terms:
            self._known.setdefault(term, len(self._known))
        return self._known


def _run(engine: Engine, request: AskRequest) -> Asked:
    return lambda stop: engine.run(request, cancelled=stop)


def _answer(asked: Asked, question: str, *, events: bool) -> tuple[int, Turn]:
    """Show what is said of a question: the exit code, and the turn that a follow-up leans on."""
    code, turn = 0, Turn(question)
    with stoppable() as stop:
        for event in asked(stop.is_set):
            turn = _told(turn, event)
            if events:
                say(json.dumps(to_payload(event), ensure_ascii=False))
            else:
                _show(event)
            if isinstance(event, RunFailed):
                code = FAILED
            elif isinstance(event, RunCancelled):
                code = INTERRUPTED
    return code, turn


def _told(turn: Turn, event: Event) -> Turn:
    """The turn with what an event tells of it."""
    match event:
        case QuestionRewritten(question, _, denoted):
            return replace(turn, question=question, denoted=denoted)
        case QuestionLinked(entities):
            return replace(turn, topics=tuple(dict.fromkeys(linked.entity.id for linked in entities)))
        case ProgramExecuted(read):
            return replace(turn, program=read.program)
        case AnswerFinal(answers):
            return replace(turn, answers=tuple(a.entity.id for a in answers if a.entity is not None))
    return turn


def engine_for(answering: Answering, encoding: Encoding, graph: Snapshot, path: Path) -> Engine:
    """The engine that the options of ``ask`` and ``evaluate`` describe."""
    spec = EngineSpec(
        snapshot=path,
        checkpoint=answering.checkpoint,
        method=method_of(answering.checkpoint, answering.method),
        reasoner=answering.reasoner,
        options=settings_of(answering.settings),
        asks_foreign=answering.foreign == "ask",
    )
    llm = environment.language_model()
    return load_engine(spec, load_parts(graph, encoding.load()), llm=llm)


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
    elif isinstance(event, QuestionRewritten):
        note(f"follow-up: {event.shown}")
    elif isinstance(event, SubgraphExtracted) and event.pulled is not None:
        asked = f"{event.pulled.queries} queries{'; more was cut off' if event.pulled.truncated else ''}"
        note(f"{event.triples:,} facts {event.strategy}, by {asked}")
    elif isinstance(event, ProgramExecuted):
        note(f"read as ({event.read.score:.2f}): {event.read.text}")
        for step in event.steps:
            note(f"  {step.text}: {step.value or f'{step.count:,} kept'}")
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
        if final.no_answer.near:
            note(f"Did you mean {', '.join(final.no_answer.near)}?")
    for answer in final.answers[:ANSWERS_SHOWN]:
        badge = "facts in graph" if answer.verified else "not in graph"
        say(f"{answer.label}\t{answer.score:.3f}\t{badge}")
    if len(final.answers) > ANSWERS_SHOWN:
        note(f"... and {len(final.answers) - ANSWERS_SHOWN:,} more answers; --events lists all")
    note(f"{len(final.answers):,} answers in {final.took_ms:.0f} ms")
