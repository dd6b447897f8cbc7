"""The event stream's contract: what is written is read back, and the front end's types are these."""

import dataclasses
import json
from pathlib import Path

import pytest

from retrieval import events
from retrieval.types import (
    AgentAction,
    Answer,
    Citation,
    EvidenceChain,
    Hop,
    LinkedEntity,
    NoAnswer,
    NoAnswerReason,
    Node,
    Passage,
    Pulled,
    RelationStep,
    RetrievedPassage,
    Usage,
)
from webapp.project.typescript import generate

BERLIN, GERMANY = Node(1, "Berlin"), Node(2, "Germany", "cvt")
STEP = RelationStep("capital_of", "capital of", inverse=True)
HOP = Hop(GERMANY, STEP, BERLIN, verified=True)
CHOICE = AgentAction("choose", relations=(STEP,), facts=3, score=0.5)
EXPLORATION = AgentAction("explore", (BERLIN,), triples=(HOP,), count=40, front=2)
CHAIN = EvidenceChain(GERMANY, (STEP,), ((BERLIN,),), (1,), (HOP,), 0.5, (1,))
EVERY = [
    events.RunStarted("q?", "rel-rag-path", "extractive", "abc", None, "enc", 50, 7),
    events.RunStarted("q?", "rapl", "extractive", "", None, "enc", 50, 7, endpoint="http://x/sparql"),
    events.QuestionLinked(
        (LinkedEntity(GERMANY, "germany", 3, 10, 0.9, "fuzzy", (BERLIN,)),), ("Atlantis",), 1.5
    ),
    events.RouterDecided("rapl", "why", {"rapl": 0.5}, 1.0),
    events.SubgraphExtracted((GERMANY,), 3, 4, 2, "k-hop", 1.0),
    events.SubgraphExtracted(
        (GERMANY,), 3, 4, 2, "pulled", 1.0, Pulled("2026-11-22T02:00:00+00:00", "abc", 5, True)
    ),
    events.PathRetrieved(1, (HOP,), 0.25, 10.0),
    events.PassagesRetrieved(
        (RetrievedPassage(Passage(0, "p", "t", "A b.", "d", "u"), 0.5, 2),), "dense", 1.0
    ),
    events.AgentStep(1, "t", "a", "o", (HOP,), 1, 2, 3.0, (GERMANY,), (HOP,), True),
    events.AgentStep(
        2, "t", "a", "o", (), 1, 2, 3.0, (), (), None, CHOICE, (CHOICE, EXPLORATION), "person", (HOP,), False
    ),
    events.RunPaused(2, "m", (CHOICE, AgentAction("finish"))),
    events.AgentRewound(1),
    events.SimilarityExpanded(GERMANY, BERLIN, 0.5, 2),
    events.ChainsBuilt((CHAIN,), 1, 1, 2.0),
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


def test_the_front_end_types_have_not_drifted():
    target = Path(__file__).parents[2] / "frontend" / "src" / "api" / "events.ts"
    assert target.read_text() == generate(), "run `python manage.py events_ts`"


def test_typescript_names_every_type_once():
    text = generate()
    for name, cls in events.EVENT_TYPES.items():
        assert text.count(f'readonly type: "{name}";') == 1
        assert text.count(f"export interface {cls.__name__} ") == 1
    assert 'TERMINAL_TYPES: readonly EventType[] = ["answer.final", "run.failed", "run.cancelled"];' in text
