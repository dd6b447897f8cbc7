"""``ask``: one question, its answers and their evidence, or the raw events."""

from __future__ import annotations

import dataclasses
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from retrieval import environment
from retrieval.answering.endpoint import EndpointAnswerer
from retrieval.answering.endpoint_request import EndpointRequest
from retrieval.answering.loading import load_answerer, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.cli.answer_lines import ANSWERS_SHOWN, show_final
from retrieval.cli.console import print_note, print_result, watch_interrupts
from retrieval.cli.limits import apply_limit, load_guarantee
from retrieval.cli.options import Answering, Encoding, Repeated, parse_settings, resolve_method
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
    from_payload,
    to_payload,
)
from retrieval.evidence.sources import list_source_lines
from retrieval.evidence.verbalise import format_chain
from retrieval.kg import snapshot as snapshots
from retrieval.kg.analysis.joining import Named, join
from retrieval.kg.snapshot.names import NameWriter, parse_languages
from retrieval.language.question import Question
from retrieval.programs.remote.conversation import DenotedThere, TurnThere
from retrieval.programs.rendering.sentences.values import format_dates
from retrieval.types import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from retrieval.answering.pipeline import Answerer
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.sparql.graph import SparqlGraph

    Asked = Callable[[Callable[[], bool]], Iterator[Event]]
    """Given what says Stop, the events of one question."""

SOURCES_SHOWN = 10
FAILED, INTERRUPTED = 2, 130
_NO_LIMIT = "A limit on wrong answers is calibrated for one graph that is here."
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
    language: str | None = None,
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
        language: of the names that are shown, de or "pt-BR,pt", the best first (default: as the graph has them).

    Raises:
        ConfigError: neither a graph nor an endpoint is named, or both are; or --also stands with what is of one graph.
        UnknownEntityError: the graph or the endpoint has no such entity.
    """
    if (graph is None) == (sparql is None):
        raise ConfigError("Ask a graph or an endpoint.", hint="Give --graph DIR or --sparql URL.")
    request = AskRequest(Question(question), (), answering.budget, answering.seed)
    if also:
        if answering.at_most_wrong is not None:
            raise ConfigError(_NO_LIMIT, hint="Ask one graph, or leave --at-most-wrong out.")
        if graph is None or entity or then:
            raise ConfigError(
                "Several graphs are asked by --graph and --also, without --entity and --then.",
                hint="Name the topics in the question, and ask a follow-up of one graph.",
            )
        return _ask_graphs(request, (graph, *also), answering, encoding, events=events)
    if graph is not None:
        snapshot = snapshots.open(graph)
        topic_ids = tuple(resolve_entity(snapshot, label) for label in entity)
        writer = _open_name_writer(snapshot, language, events=events)
        answerer = open_answerer(answering, encoding, snapshot, graph)
        guarantee = load_guarantee(answering, answerer)
        stream = _run(answerer, dataclasses.replace(request, given=topic_ids))
        stream = apply_limit(stream, guarantee)
        code, turn = _answer(stream, question, events=events, writer=writer, graph=snapshot)
        for follow_up in then:
            print_note(f"> {follow_up}")
            leaning = dataclasses.replace(request, question=Question(follow_up), follows=turn)
            stream = apply_limit(_run(answerer, leaning), guarantee)
            code, turn = _answer(stream, follow_up, events=events, writer=writer, graph=snapshot)
        return code
    assert sparql is not None
    if answering.at_most_wrong is not None:
        raise ConfigError(_NO_LIMIT, hint="Export the graph from the endpoint, and build it with `build-graph`.")
    with _open_endpoint(sparql, pull) as remote:
        topics = _resolve_topics(remote, entity)
        numbers = _Numbers()
        asking = EndpointAnswerer(
            remote,
            resolve_method(answering.checkpoint, answering.method),
            encoding.load(),
            numbers.assign_numbers,
            answering.reasoner,
            environment.read_llm_settings(),
            answering.checkpoint,
            parse_settings(answering.settings),
        )
        request_there = EndpointRequest(Question(question), topics, answering.budget, answering.seed)
        code, turn = _answer(_ask_endpoint(asking, request_there), question, events=events)
        for follow_up in then:
            print_note(f"> {follow_up}")
            next_there = dataclasses.replace(
                request_there, question=Question(follow_up), given=(), follows=numbers.convert_turn(turn)
            )
            code, turn = _answer(_ask_endpoint(asking, next_there), follow_up, events=events)
        return code


def _ask_endpoint(asking: EndpointAnswerer, request: EndpointRequest) -> Asked:
    return lambda stop: asking.run(request, cancelled=stop)


def _ask_graphs(
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
    results: list[tuple[Path, Snapshot | None, AnswerFinal | None]] = []
    method = resolve_method(answering.checkpoint, answering.method)
    for place, path in enumerate(graphs):
        print_note(f"> {path}")
        options = answering if place == 0 else dataclasses.replace(answering, checkpoint=None, method=method)
        last: list[AnswerFinal] = []
        try:
            snapshot = snapshots.open(path)
            stream = _run(open_answerer(options, encoding, snapshot, path), request)
        except ClewError as error:
            print_note(f"{path} was not asked. {error.message} {error.hint}")
            code = code or FAILED
            results.append((path, None, None))
            continue
        ended, _ = _answer(_keep_answer(stream, last), request.question.text, events=events, graph=snapshot)
        code = code or ended
        results.append((path, snapshot, last[0] if last else None))
        if ended == INTERRUPTED:
            break
    joined = join([[] if final is None else _list_named_answers(snapshot, final) for _, snapshot, final in results])
    if events:
        rows = [dataclasses.asdict(answer) for answer in joined]
        print_result(json.dumps({"graphs": [str(path) for path, _, _ in results], "joined": rows}, ensure_ascii=False))
        return code
    print_note("> all graphs")
    for answer in joined[:ANSWERS_SHOWN]:
        of = ", ".join(
            results[member.graph][0].name + (f" (by {_BY[member.by]})" if member.by else "")
            for member in answer.members
        )
        print_result(f"{answer.label}\t{answer.score:.3f}\t{of}")
    print_note(f"{len(joined):,} answers of {sum(final is not None for *_, final in results)} graphs")
    return code


def _keep_answer(stream: Asked, last: list[AnswerFinal]) -> Asked:
    """The same events, of which the answer is kept."""

    def stream_events(stop: Callable[[], bool]) -> Iterator[Event]:
        for event in stream(stop):
            if isinstance(event, AnswerFinal):
                last.append(event)
            yield event

    return stream_events


def _list_named_answers(snapshot: Snapshot | None, final: AnswerFinal) -> list[Named]:
    """The answers of a graph as others may have them too."""
    iris = [
        "" if answer.entity is None or snapshot is None else snapshot.get_entity_iri(answer.entity.id)
        for answer in final.answers
    ]
    return [
        Named(answer.label, answer.score, iri, answer.guess) for answer, iri in zip(final.answers, iris, strict=True)
    ]


@contextmanager
def _open_endpoint(url: str, pull: tuple[str, ...]) -> Iterator[SparqlGraph]:
    """An endpoint, opened."""
    from retrieval.kg.sparql.graph import SparqlGraph  # noqa: PLC0415 - loads pyoxigraph
    from retrieval.kg.sparql.options import parse_options  # noqa: PLC0415 - as above

    with SparqlGraph(url, parse_options(dict(parse_settings(pull)))) as remote:
        yield remote


def _resolve_topics(remote: SparqlGraph, entity: tuple[str, ...]) -> tuple[str, ...]:
    """The IRIs of entities that are given by label or IRI."""
    iris = remote.find(entity)
    missing = [name for name in entity if name.strip() not in iris]
    if missing:
        raise UnknownEntityError(
            f"{remote.endpoint} has no entity {', '.join(missing)}.",
            hint="Name one by its label as it is spelt there, or by its IRI.",
        )
    return tuple(iris.values())


class _Numbers:
    """Numbers for what an endpoint calls by IRIs, in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def assign_numbers(self, terms: Sequence[str]) -> Mapping[str, int]:
        """See :data:`retrieval.answering.endpoint.Numbering`."""
        for term in terms:
            self._known.setdefault(term, len(self._known))
        return self._known

    def convert_turn(self, turn: Turn) -> TurnThere:
        """A turn by IRIs in place of numbers; values are left out."""
        known = {number: term[1:] for term, number in self._known.items() if term.startswith("<")}

        def list_iris(of: Sequence[int]) -> tuple[str, ...]:
            return tuple(known[number] for number in of if number in known)

        denoted = tuple(DenotedThere(span.start, span.end, list_iris(span.ids)) for span in turn.denoted)
        return TurnThere(Question(turn.question), list_iris(turn.topics), list_iris(turn.answers), denoted)


def _run(answerer: Answerer, request: AskRequest) -> Asked:
    return lambda stop: answerer.run(request, cancelled=stop)


def _open_name_writer(snapshot: Snapshot, language: str | None, *, events: bool) -> NameWriter | None:
    """What writes names in a language into events.

    Raises:
        ConfigError: it is no language.
    """
    if language is None:
        return None
    preferred = parse_languages(language)
    if not preferred:
        raise ConfigError(f"{language!r} is no language.", hint="Write en, de, pt-BR or their like.")
    names = snapshot.names
    writer = None if names is None else NameWriter(names, preferred, "name" if events else "label")
    if names is None or writer is None or not writer.languages:
        known = "" if names is None else f"; it has {', '.join(known for known, _ in names.count_languages())}"
        print_note(f"The graph has no names in {language}{known}.")
    return writer


def _answer(
    stream: Asked,
    question: str,
    *,
    events: bool,
    writer: NameWriter | None = None,
    graph: Snapshot | None = None,
) -> tuple[int, Turn]:
    """Show what is said of a question: the exit code, and the turn that a follow-up leans on.

    With a graph, the sources of the facts of its evidence are shown too.
    """
    code, turn = 0, Turn(question)
    with watch_interrupts() as stop:
        for event in stream(stop.is_set):
            turn = _update_turn(turn, event)
            payload = to_payload(event) if writer is None else writer.write(to_payload(event))
            if events:
                print_result(json.dumps(payload, ensure_ascii=False))
            else:
                _show(event if writer is None else from_payload(payload), graph, turn.question)
            if isinstance(event, RunFailed):
                code = FAILED
            elif isinstance(event, RunCancelled):
                code = INTERRUPTED
    return code, turn


def _update_turn(turn: Turn, event: Event) -> Turn:
    """The turn with what an event tells of it."""
    match event:
        case QuestionRewritten(question, _, denoted):
            return dataclasses.replace(turn, question=question, denoted=denoted)
        case QuestionLinked(entities):
            return dataclasses.replace(turn, topics=tuple(dict.fromkeys(linked.entity.id for linked in entities)))
        case ProgramExecuted(read):
            return dataclasses.replace(turn, program=read.program)
        case AnswerFinal(answers):
            return dataclasses.replace(turn, answers=tuple(a.entity.id for a in answers if a.entity is not None))
    return turn


def open_answerer(answering: Answering, encoding: Encoding, graph: Snapshot, path: Path) -> Answerer:
    """The answerer that the options of ``ask`` and ``evaluate`` describe."""
    spec = AnswererSpec(
        snapshot=path,
        checkpoint=answering.checkpoint,
        method=resolve_method(answering.checkpoint, answering.method),
        reasoner=answering.reasoner,
        options=parse_settings(answering.settings),
        asks_foreign=answering.foreign == "ask",
    )
    llm = environment.read_llm_settings()
    return load_answerer(spec, load_parts(graph, encoding.load()), llm=llm)


def resolve_entity(graph: Snapshot, label: str) -> int:
    """The entity that a label means.

    Raises:
        UnknownEntityError: none of that name; offers near ones.
    """
    entity = graph.labels.resolve(label)
    if entity is None:
        near = ", ".join(match.node.label for match in graph.labels.search(label, 3))
        hint = f"Near names: {near}." if near else "Check the spelling."
        raise UnknownEntityError(f"The graph has no entity {label!r}.", hint=hint)
    return entity


def _show(event: Event, graph: Snapshot | None, text: str) -> None:
    """One event of a question for people; most are silent."""
    if isinstance(event, QuestionLinked):
        for linked in event.entities:
            print_note(f"linked: {linked.entity.label} ({linked.source}, {linked.score:.2f})")
    elif isinstance(event, QuestionRewritten):
        print_note(f"follow-up: {event.shown}")
    elif isinstance(event, SubgraphExtracted) and event.pulled is not None:
        queries = f"{event.pulled.queries} queries{'; more was cut off' if event.pulled.truncated else ''}"
        print_note(f"{event.triples:,} facts {event.strategy}, by {queries}")
    elif isinstance(event, ProgramExecuted):
        print_note(f"read as ({event.read.score:.2f}): {event.read.text}")
        for step in event.steps:
            print_note(f"  {format_dates(step.text)}: {step.display or f'{step.count:,} kept'}")
    elif isinstance(event, ChainsBuilt):
        for number, chain in enumerate(event.chains, start=1):
            print_note(f"chain {number} ({chain.score:.2f}): {format_chain(chain)}")
            lines = [] if graph is None else list_source_lines(graph, chain)
            for line in lines[:SOURCES_SHOWN]:
                print_note(f"  {line}")
            if len(lines) > SOURCES_SHOWN:
                print_note(f"  ... and {len(lines) - SOURCES_SHOWN:,} more facts")
    elif isinstance(event, AnswerFinal):
        show_final(event, text)
    elif isinstance(event, RunFailed):
        print_note(f"error: {event.message} {event.hint}".rstrip())
    elif isinstance(event, RunCancelled):
        print_note(event.message)
