"""``ask``: one question, its answers and their evidence, or the raw events."""

from __future__ import annotations

import dataclasses
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from retrieval import environment
from retrieval.cli.console import note, say, stoppable
from retrieval.cli.options import Answering, Encoding, Repeated, method_of, settings_of
from retrieval.errors import ClewError, ConfigError, UnknownEntityError
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
from retrieval.kg.analysis.joining import Named, join
from retrieval.loading import load_engine, load_parts
from retrieval.methods._shared.endpoint_engine import EndpointAsking, EndpointRequest
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.pipeline import AskRequest
from retrieval.programs.remote.conversation import DenotedThere, TurnThere
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
_BY = {"iri": "IRI", "name": "name"}


def ask(
    question: str,
    /,
    *,
    graph: Annotated[Path | None, Parameter(name=("--graph", "--corpus"))] = None,
    sparql: str | None = None,
    pull: Repeated = (),
    entity: Repeated = (),
    then: Repeated = (),
    also: Annotated[tuple[Path, ...], Parameter(show_default=False)] = (),
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
        also: the directory of another graph that is asked the same, untrained; repeatable. Answers that mean the same
            are joined by IRI or name.
        events: print every event as one line of JSON.

    Raises:
        ConfigError: neither a graph nor an endpoint is named, or both are; or --also stands with what is of one graph.
        UnknownEntityError: the graph or the endpoint has no such entity.
    """
    if (graph is None) == (sparql is None):
        raise ConfigError("Ask a graph or an endpoint.", hint="Give --graph DIR or --sparql URL.")
    request = AskRequest(question, (), answering.budget, answering.seed)
    if also:
        if graph is None or entity or then:
            raise ConfigError(
                "Several graphs are asked by --graph and --also, without --entity and --then.",
                hint="Name the topics in the question, and ask a follow-up of one graph.",
            )
        return _across(request, (graph, *also), answering, encoding, events=events)
    if graph is not None:
        snapshot = snapshots.open(graph)
        given = tuple(entity_id(snapshot, label) for label in entity)
        engine = engine_for(answering, encoding, snapshot, graph)
        code, turn = _answer(_run(engine, dataclasses.replace(request, given=given)), question, events=events)
        for follow_up in then:
            note(f"> {follow_up}")
            leaning = dataclasses.replace(request, question=follow_up, follows=turn)
            code, turn = _answer(_run(engine, leaning), follow_up, events=events)
        return code
    assert sparql is not None
    with _remote(sparql, pull) as remote:
        topics = _topics(remote, entity)
        numbers = _Numbers()
        asking = EndpointAsking(
            remote,
            method_of(answering.checkpoint, answering.method),
            encoding.load(),
            numbers.of,
            answering.reasoner,
            environment.language_model(),
            answering.checkpoint,
            settings_of(answering.settings),
        )
        request_there = EndpointRequest(question, topics, answering.budget, answering.seed)
        code, turn = _answer(_there(asking, request_there), question, events=events)
        for follow_up in then:
            note(f"> {follow_up}")
            next_there = dataclasses.replace(
                request_there, question=follow_up, given=(), follows=numbers.turn(turn)
            )
            code, turn = _answer(_there(asking, next_there), follow_up, events=events)
        return code


def _there(asking: EndpointAsking, request: EndpointRequest) -> Asked:
    return lambda stop: asking.run(request, cancelled=stop)


def _across(
    request: AskRequest,
    graphs: tuple[Path, ...],
    answering: Answering,
    encoding: Encoding,
    *,
    events: bool,
) -> int:
    """Ask one question of several graphs, one after the other, and show the answers put together.

    A graph that cannot be asked is told and left out; the exit code is that of the first that went wrong.
    """
    code = 0
    found: list[tuple[Path, Snapshot | None, AnswerFinal | None]] = []
    method = method_of(answering.checkpoint, answering.method)
    for place, path in enumerate(graphs):
        note(f"> {path}")
        own = answering if place == 0 else dataclasses.replace(answering, checkpoint=None, method=method)
        last: list[AnswerFinal] = []
        try:
            snapshot = snapshots.open(path)
            asked = _run(engine_for(own, encoding, snapshot, path), request)
        except ClewError as error:
            note(f"{path} was not asked. {error.message} {error.hint}")
            code = code or FAILED
            found.append((path, None, None))
            continue
        ended, _ = _answer(_kept(asked, last), request.question, events=events)
        code = code or ended
        found.append((path, snapshot, last[0] if last else None))
        if ended == INTERRUPTED:
            break
    joined = join([[] if final is None else _named(snapshot, final) for _, snapshot, final in found])
    if events:
        told = [dataclasses.asdict(one) for one in joined]
        say(json.dumps({"graphs": [str(path) for path, _, _ in found], "joined": told}, ensure_ascii=False))
        return code
    note("> all graphs")
    for one in joined[:ANSWERS_SHOWN]:
        of = ", ".join(
            found[member.graph][0].name + (f" (by {_BY[member.by]})" if member.by else "")
            for member in one.members
        )
        say(f"{one.label}\t{one.score:.3f}\t{of}")
    note(f"{len(joined):,} answers of {sum(final is not None for *_, final in found)} graphs")
    return code


def _kept(asked: Asked, last: list[AnswerFinal]) -> Asked:
    """The same events, of which the answer is kept."""

    def events(stop: Callable[[], bool]) -> Iterator[Event]:
        for event in asked(stop):
            if isinstance(event, AnswerFinal):
                last.append(event)
            yield event

    return events


def _named(snapshot: Snapshot | None, final: AnswerFinal) -> list[Named]:
    """The answers of a graph as others may have them too."""
    iris = [
        "" if one.entity is None or snapshot is None else snapshot.entity_iri(one.entity.id)
        for one in final.answers
    ]
    return [Named(one.label, one.score, iri, one.guess) for one, iri in zip(final.answers, iris, strict=True)]


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

    def turn(self, turn: Turn) -> TurnThere:
        """A turn by IRIs in place of numbers; values are left out."""
        known = {number: term[1:] for term, number in self._known.items() if term.startswith("<")}

        def iris(of: Sequence[int]) -> tuple[str, ...]:
            return tuple(known[number] for number in of if number in known)

        denoted = tuple(DenotedThere(own.start, own.end, iris(own.ids)) for own in turn.denoted)
        return TurnThere(turn.question, iris(turn.topics), iris(turn.answers), denoted)


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
            return dataclasses.replace(turn, question=question, denoted=denoted)
        case QuestionLinked(entities):
            return dataclasses.replace(
                turn, topics=tuple(dict.fromkeys(linked.entity.id for linked in entities))
            )
        case ProgramExecuted(read):
            return dataclasses.replace(turn, program=read.program)
        case AnswerFinal(answers):
            return dataclasses.replace(
                turn, answers=tuple(a.entity.id for a in answers if a.entity is not None)
            )
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
    if final.text:
        note(final.text)
    for answer in final.answers[:ANSWERS_SHOWN]:
        badge = "a guess" if answer.guess else "facts in graph" if answer.verified else "not in graph"
        beside = "".join(f"\t{own.name}: {own.value}" for own in answer.beside)
        say(f"{answer.label}\t{answer.score:.3f}\t{badge}{beside}")
    if len(final.answers) > ANSWERS_SHOWN:
        note(f"... and {len(final.answers) - ANSWERS_SHOWN:,} more answers; --events lists all")
    note(f"{len(final.answers):,} answers in {final.took_ms:.0f} ms")
