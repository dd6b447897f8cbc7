"""Programs over a graph that stays in a SPARQL endpoint: a real one, over HTTP."""

import json

import pytest

from retrieval.answering.endpoint import EndpointAnswerer
from retrieval.answering.endpoint_programs import PARTLY, STRATEGY
from retrieval.answering.endpoint_request import EndpointRequest
from retrieval.environment import LLMSettings
from retrieval.events import (
    AnswerFinal,
    ChainsBuilt,
    ProgramExecuted,
    QuestionLinked,
    RunFailed,
    SubgraphExtracted,
)
from retrieval.kg.snapshot.vocabulary import Term, Vocabulary
from retrieval.kg.sparql.graph import SparqlGraph
from retrieval.kg.sparql.subgraph_cache import SubgraphCache
from retrieval.language.question import Question
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs.remote.atlas import turtle
from tests.support.llm_server import LLMServer
from tests.support.sparql_server import SparqlServer

MANY = "\n".join(f":place{n} rdf:type :city ; :height {n} ." for n in range(1200))


@pytest.fixture
def server():
    with SparqlServer(turtle()) as running:
        yield running


class Numbers:
    """Numbers of terms, and the terms by number."""

    def __init__(self):
        self.known = {}

    def of(self, terms):
        for term in terms:
            self.known.setdefault(term, 100 + len(self.known))
        return self.known


def ask(server, question, *, pulls=None, numbers=None, terms=(), **request):
    with SparqlGraph(server.url, pulls=pulls) as remote:
        asking = EndpointAnswerer(
            remote, "rel-rag-path", WordEncoder(), (numbers or Numbers()).of, vocabulary=Vocabulary(terms)
        )
        return list(asking.run(EndpointRequest(Question(question), **request)))


def one(found, kind):
    return next(event for event in found if isinstance(event, kind))


def labels(found):
    return [answer.label for answer in one(found, AnswerFinal).answers]


def test_a_count_is_of_the_whole_graph(server):
    found = ask(server, "How many countries are in Africa?")
    assert labels(found) == ["4"]
    told = one(found, ProgramExecuted)
    assert (told.read.text, told.by) == ("countries → continent Africa → count", "reader")
    assert [(step.text, step.count, step.value) for step in told.steps] == [
        ("countries", 5, ""),
        ("in Africa (continent)", 4, ""),
        ("count them", 0, "4"),
    ]
    assert told.sparql == (
        "SELECT (COUNT(DISTINCT ?x1) AS ?number) WHERE {\n"
        "  ?x1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://land/country> .\n"
        "  ?x1 <http://land/continent> <http://land/Africa> .\n"
        "}\n"
    )
    assert told.cypher == ""
    assert [linked.mention for linked in one(found, QuestionLinked).entities] == ["Africa"]
    assert one(found, SubgraphExtracted).strategy == STRATEGY
    assert [type(event).__name__ for event in found][:4] == [
        "RunStarted",
        "QuestionLinked",
        "SubgraphExtracted",
        "ProgramExecuted",
    ]


def test_a_table_is_computed_of_the_facts_of_all_its_things(server):
    found = ask(server, "names and populations of all countries")
    table = one(found, AnswerFinal).table
    assert [column.label for column in table.columns] == ["country", "population"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Chad", "18000000"],
        ["Egypt", "110000000"],
        ["France", "68000000"],
        ["Kenya", "55000000"],
        ["Togo", "18000000"],
    ]


def test_a_table_of_too_many_things_is_not_cut_but_refused():
    rows = "\n".join(f':city{n} rdf:type :city ; rdfs:label "city {n}" ; :height {n} .' for n in range(1001))
    with SparqlServer(turtle() + rows) as server:
        found = ask(server, "names and heights of all cities")
    (warning,) = [text for text in one(found, AnswerFinal).warnings if "table" in text]
    assert "The rows of the table are of more than 1,000 things" in warning


def test_a_ranking_shows_its_values_the_runners_up_and_the_facts(server):
    numbers = Numbers()
    found = ask(server, "Which country in Africa has the largest population?", numbers=numbers)
    assert labels(found) == ["Egypt"]
    told = one(found, ProgramExecuted)
    assert [(own.node.label, own.value, own.answer) for own in told.ranked] == [
        ("Egypt", "110,000,000", True),
        ("Kenya", "55,000,000", False),
        ("Chad", "18,000,000", False),
        ("Togo", "18,000,000", False),
    ]
    (answer,) = one(found, AnswerFinal).answers
    assert answer.verified
    assert answer.entity.id == numbers.known["<http://land/Egypt"]
    chains = one(found, ChainsBuilt).chains
    assert [(chain.source.label, [node.label for node in chain.levels[-1]]) for chain in chains] == [
        ("Egypt", ["110000000"]),
        ("country", ["Egypt"]),
        ("Africa", ["Egypt"]),
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which countries speak French and are not in Africa?", ["France"]),
        ("Is Paris the capital of France?", ["yes"]),
        ("Is Cairo the capital of France?", ["no"]),
        ("countries independent after 1960", ["Kenya"]),
        ("What is the population of Kenya?", ["55000000"]),
        ("countries with a population over 60 million", ["Egypt", "France"]),
    ],
)
def test_other_operators(server, question, expected):
    assert sorted(labels(ask(server, question))) == expected


@pytest.mark.parametrize(
    ("question", "expected", "read"),
    [
        (
            "Which nation in Africa has the largest headcount?",
            ["Egypt"],
            "nations → continent Africa → largest headcount",
        ),
        ("What is the headcount of Kenya?", ["55000000"], "headcount of Kenya"),
        ("How many nations are in Africa?", ["4"], "nations → continent Africa → count"),
        ("How many countries are in Africa?", ["4"], "countries → continent Africa → count"),
    ],
)
def test_synonyms_are_read_as_names_and_the_endpoint_is_asked_by_its_own(server, question, expected, read):
    terms = (
        Term("kind", "country", synonyms=("nation",)),
        Term("relation", "http://land/population", synonyms=("headcount",)),
        Term("relation", "http://land/unknown", synonyms=("in Africa",)),
    )
    found = ask(server, question, terms=terms)
    assert labels(found) == expected
    assert one(found, ProgramExecuted).read.text == read
    assert "headcount" not in one(found, ProgramExecuted).sparql


def test_what_is_asked_may_be_far_from_what_was_sampled(server):
    server.add(turtle().split(":Egypt")[0] + MANY + ' :city rdfs:label "city"@en .')
    assert labels(ask(server, "How many cities are there?")) == ["1,202"]
    found = ask(server, "Which cities have a height over 1100?")
    told = one(found, ProgramExecuted)
    assert [step.count for step in told.steps] == [1202, 99]
    assert len(labels(found)) == 99
    assert labels(ask(server, "Which city has the second largest height?")) == ["place1198"]


def test_a_program_that_somebody_wrote_is_computed_there(server):
    named = one(ask(server, "Which country in Africa has the largest population?"), ProgramExecuted).read.program
    assert named["source"]["left"]["source"]["ids"] == ["country"]
    found = ask(server, "the smallest", program={**named, "largest": False})
    told = one(found, ProgramExecuted)
    assert (labels(found), told.by, told.read.score) == (["Chad", "Togo"], "person", 1.0)
    lost = {
        "op": "Walk",
        "relation": {"name": "http://land/capital"},
        "source": {"op": "Entities", "ids": ["Nowhere"]},
    }
    failed = one(ask(server, "x", program=lost), RunFailed)
    assert (failed.code, "no entity “Nowhere”" in failed.message) == ("bad_program", True)
    unknown = {"op": "Having", "relation": {"name": "http://land/capitals"}}
    failed = one(ask(server, "x", program=unknown), RunFailed)
    assert "no relation “http://land/capitals”" in failed.message
    assert "http://land/capital" in failed.hint


def test_an_endpoint_that_cannot_say_what_it_holds_is_read_by_what_is_near(server):
    server.breaks_at = "GROUP BY ?x"
    found = ask(server, "How many countries are in Africa?")
    assert labels(found) == ["4"]
    assert one(found, AnswerFinal).warnings == (PARTLY,)
    final = one(ask(server, "How many countries are there?"), AnswerFinal)
    assert (final.no_answer.reason, final.warnings) == ("entity_not_linked", (PARTLY,))


def test_an_endpoint_that_cannot_compute_is_answered_by_relation_paths(server):
    server.breaks_at = "DISTINCT ?node"
    found = ask(server, "What is the capital of Egypt?")
    final = one(found, AnswerFinal)
    assert final.answers[0].label == "Cairo"
    assert "could not compute what was asked" in final.warnings[0]
    assert not [event for event in found if isinstance(event, ProgramExecuted)]


def test_a_language_model_writes_the_program_and_the_endpoint_computes_it(server):
    program = {
        "op": "Count",
        "source": {"op": "Walk", "relation": "^continent", "source": {"op": "Entities", "ids": ["Africa"]}},
    }
    lost = {"op": "Having", "relation": "continents"}
    replies = iter([json.dumps({"program": lost}), json.dumps({"program": program}), "no", "no"])
    with LLMServer(lambda _: next(replies)) as model, SparqlGraph(server.url) as remote:
        llm = LLMSettings(model.url, "scripted", retries=0)
        asking = EndpointAnswerer(remote, "rel-rag-path", WordEncoder(), Numbers().of, "llm-program", llm)
        request = EndpointRequest(Question("How many countries of Africa are there?"))
        found = list(asking.run(request))
        assert (labels(found), one(found, ProgramExecuted).by) == (["4"], "model")
        assert one(found, AnswerFinal).usage.llm_calls == 2
        assert "the nearest are “continent”" in model.requests[1]["messages"][-1]["content"]
        found = list(asking.run(request))
        assert (labels(found), one(found, ProgramExecuted).by) == (["4"], "reader")
        assert "the question was read without it" in one(found, AnswerFinal).warnings[0]


def test_the_sample_is_pulled_once(server):
    pulls = SubgraphCache()
    ask(server, "How many countries are in Africa?", pulls=pulls)
    before = len(server.queries)
    ask(server, "How many countries are in Europe?", pulls=pulls)
    again = server.queries[before:]
    assert not [query for query in again if "GROUP BY ?x" in query]
    before = len(server.queries)
    ask(server, "How many countries are in Europe?", pulls=pulls)
    assert len(server.queries) - before == 5  # names, countries, what is in Europe, both, and their facts
