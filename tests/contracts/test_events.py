"""The event stream's contract: what is written is read back, and the API's schema describes these."""

import dataclasses
import json
from uuid import uuid4

import pytest
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, ValidationError

from retrieval import events
from retrieval.results import Answer, Citation, NoAnswer, NoAnswerReason, ProgramReading, ProgramStep, RankedValue
from retrieval.types import (
    AgentAction,
    Denoted,
    EvidenceChain,
    Hop,
    LinkedEntity,
    Node,
    Passage,
    Pulled,
    RelationStep,
    RetrievedPassage,
    Usage,
)

BERLIN, GERMANY = Node(1, "Berlin"), Node(2, "Germany", "cvt")
STEP = RelationStep("capital_of", "capital of", inverse=True)
HOP = Hop(GERMANY, STEP, BERLIN, verified=True)
CHOICE = AgentAction("choose", relations=(STEP,), facts=3, score=0.5)
EXPLORATION = AgentAction("explore", (BERLIN,), triples=(HOP,), count=40, front=2)
CHAIN = EvidenceChain(GERMANY, (STEP,), ((BERLIN,),), (1,), (HOP,), 0.5, (1,))
EVERY = [
    events.RunStarted("q?", "rel-rag-path", "extractive", "abc", None, "enc", 50, 7),
    events.RunStarted("q?", "rapl", "extractive", "", None, "enc", 50, 7, endpoint="http://x/sparql"),
    events.QuestionRewritten("What is Germany's capital?", "same", (Denoted(8, 15, (2,)),), 1.5),
    events.QuestionLinked((LinkedEntity(GERMANY, "germany", 3, 10, 0.9, "fuzzy", (BERLIN,)),), ("Atlantis",), 1.5),
    events.RouterDecided("rapl", "why", {"rapl": 0.5}, 1.0),
    events.SubgraphExtracted((GERMANY,), 3, 4, 2, "k-hop", 1.0),
    events.SubgraphExtracted((GERMANY,), 3, 4, 2, "pulled", 1.0, Pulled("2026-11-22T02:00:00+00:00", "abc", 5, True)),
    events.PathRetrieved(1, (HOP,), 0.25, 10.0),
    events.PassagesRetrieved((RetrievedPassage(Passage(0, "p", "t", "A b.", "d", "u"), 0.5, 2),), "dense", 1.0),
    events.AgentStep(1, "t", "a", "o", (HOP,), 1, 2, 3.0, (GERMANY,), (HOP,), True),
    events.AgentStep(
        2, "t", "a", "o", (), 1, 2, 3.0, (), (), None, CHOICE, (CHOICE, EXPLORATION), "person", (HOP,), False
    ),
    events.RunPaused(2, "m", (CHOICE, AgentAction("finish"))),
    events.AgentRewound(1),
    events.SimilarityExpanded(GERMANY, BERLIN, 0.5, 2),
    events.ChainsBuilt((CHAIN,), 1, 1, 2.0),
    events.ProgramExecuted(
        ProgramReading("count them", {"op": "Count", "source": {"op": "Entities", "ids": ["Berlin"]}}, 0.5),
        (ProgramStep("count them", "number", 0, "1", (BERLIN,), ("source",), "Count", "1"),),
        (),
        (RankedValue(BERLIN, "1", answer=True),),
        "SELECT",
        "MATCH",
        2.0,
        "person",
    ),
    events.AnswerDelta("Ber"),
    events.AnswerFinal(
        (Answer("Berlin", 0.9, BERLIN, (0,), True, (Citation(0, 0, 4),)),),
        None,
        "Berlin",
        ("w",),
        Usage(1, 2, 3, 4, 0.5),
        5.0,
    ),
    events.AnswerFinal((), NoAnswer(NoAnswerReason.NO_PATH, "m", "h"), "", (), Usage(), 5.0),
    events.RunFailed("internal", "m", "h"),
    events.RunCancelled("m", 3),
]


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.type)
def test_an_event_survives_json(event):
    wire = {"run": "r", "seq": 1, "at": "now", **json.loads(json.dumps(events.to_payload(event)))}
    assert events.from_payload(wire) == event


def test_every_event_type_is_tried_here():
    assert {event.type for event in EVERY} == set(events.EVENT_TYPES)


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.type)
def test_an_extra_field_is_refused(event):
    with pytest.raises(ValueError, match="surprise: Unexpected"):
        events.from_payload({**events.to_payload(event), "surprise": 1})


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.type)
def test_a_missing_field_is_refused(event):
    payload = events.to_payload(event)
    payload.pop(dataclasses.fields(event)[0].name)
    with pytest.raises(ValueError, match="required"):
        events.from_payload(payload)


@pytest.fixture(scope="module")
def components():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    return json.loads(json.dumps(schema["components"]))


def checker(components, name):
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components})


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.type)
def test_the_schema_describes_an_event_as_it_is_sent(components, event):
    wire = {"run": str(uuid4()), "seq": 1, "at": "2026-11-22T02:00:00Z", **events.to_payload(event)}
    checker(components, "Event").validate(wire)
    with pytest.raises(ValidationError):
        checker(components, "Event").validate({**wire, "type": "run.surprised"})
    for missing in wire:
        with pytest.raises(ValidationError):
            checker(components, "Event").validate({k: v for k, v in wire.items() if k != missing})


def test_an_action_can_be_sent_without_what_has_a_default(components):
    checker(components, "AgentActionRequest").validate({"kind": "explore", "front": 0})
    with pytest.raises(ValidationError):
        checker(components, "AgentAction").validate({"kind": "explore", "front": 0})
