"""Steps of a decomposed question as `text-rag`, `inses` and `router` tell of them."""

import pytest

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.events import AgentStep, AnswerFinal, PassagesRetrieved
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import indexing
from retrieval.methods import registry
from retrieval.types import Passage

TEXTS = [
    ("Bubye River", "The Bubye River is a river in Zimbabwe. It flows into the Limpopo."),
    ("Victoria Falls", "Victoria Falls is a waterfall in Zimbabwe. It lies on the Zambezi River."),
    ("Blawith", "Blawith is a waterfall in England. Walkers like it."),
]
FACTS = [
    ("Bubye River", "river in", "Zimbabwe"),
    ("Victoria Falls", "waterfall in", "Zimbabwe"),
    ("Blawith", "waterfall in", "England"),
]
QUESTION = "What is the waterfall in the country where the Bubye River is found?"


def parts_of(home, fact_passages):
    passages = [Passage(i, f"p{i}", title, text) for i, (title, text) in enumerate(TEXTS)]
    table = TripleTable.from_facts(FACTS, passages=passages, fact_passages=fact_passages)
    graph = build_snapshot(table, home)
    encoder = load_encoder()
    indexing.build(graph, encoder)
    return load_parts(graph, encoder)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return parts_of(tmp_path_factory.mktemp("d") / "corpus", [(0, 0), (1, 1), (2, 2)])


def asked(parts, method, **options):
    spec = AnswererSpec(parts.snapshot.path, method=method, options=tuple(options.items()))
    return list(load_answerer(spec, parts).run(AskRequest(Question(QUESTION))))


def steps_of(events):
    return [event for event in events if isinstance(event, AgentStep)]


@pytest.mark.parametrize("method", ["text-rag", "inses", "router"])
def test_a_step_says_what_was_asked_and_found_and_the_answer_cites_it(parts, method):
    events = asked(parts, method)
    steps = steps_of(events)
    (told,) = [step for step in steps if step.action == "ask"]
    assert told.observation == "the country where the Bubye River is found → Zimbabwe"
    assert told.thought.startswith(
        "What is the country where the Bubye River is found? “The Bubye River is a river in Zimbabwe.” ("
    )
    assert [node.label for node in told.current] == ["Zimbabwe"]
    assert [step.step for step in steps] == list(range(1, len(steps) + 1))
    (found,) = [event for event in events if isinstance(event, PassagesRetrieved)]
    assert found.strategy.endswith("in steps")
    assert found.passages[0].passage.title == "Bubye River"
    final = events[-1]
    assert isinstance(final, AnswerFinal)
    assert final.answers[0].label == "Victoria Falls"
    assert [TEXTS[c.passage][1][c.start : c.end] for c in final.answers[0].citations] == [
        "Victoria Falls is a waterfall in Zimbabwe.",
        "The Bubye River is a river in Zimbabwe.",
    ]


@pytest.mark.parametrize("options", [{"decompose": False}, {"reader": "rules"}])
@pytest.mark.parametrize("method", ["text-rag", "inses"])
def test_without_the_setting_or_the_trained_reader_the_question_is_asked_at_once(parts, method, options):
    events = asked(parts, method, **options)
    assert [step for step in steps_of(events) if step.action == "ask"] == []
    (found,) = [event for event in events if isinstance(event, PassagesRetrieved)]
    assert not found.strategy.endswith("in steps")


def test_the_router_hands_the_setting_on(parts):
    events = asked(parts, "router", text="decompose=false", graph="decompose=false")
    assert [step for step in steps_of(events) if step.action == "ask"] == []


def test_where_the_facts_come_from_no_passage_the_steps_answer_alone(tmp_path):
    events = asked(parts_of(tmp_path / "corpus", []), "inses")
    (found,) = [event for event in events if isinstance(event, PassagesRetrieved)]
    assert found.passages[0].passage.title == "Bubye River"
    assert events[-1].answers[0].label == "Victoria Falls"


def test_the_papers_preset_does_without():
    options = registry.parse_options("inses", {"preset": "paper"})
    assert options.decompose is False
    assert registry.parse_options("inses", {}).decompose is True
