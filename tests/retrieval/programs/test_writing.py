"""Programs that a language model writes: a real HTTP server that speaks the protocol."""

import json

import pytest

from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import open_answerer
from retrieval.answering.reasoners import make_reasoner, require_written
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.environment import LLMSettings
from retrieval.errors import MethodError
from retrieval.events import AnswerFinal, ProgramExecuted, QuestionLinked, RunStarted
from retrieval.language.amounts import Comparison, TextMatch
from retrieval.language.question import Question
from retrieval.programs.writing.grammar import build_grammar
from tests.retrieval.films import WordEncoder
from tests.retrieval.programs import land
from tests.retrieval.world import LabelLinker
from tests.support.llm_server import LLMServer

COUNTRIES = {"op": "Walk", "relation": "^type", "source": {"op": "Entities", "ids": ["country"]}}
AFRICAN = {"op": "Walk", "relation": "^continent", "source": {"op": "Entities", "ids": ["Africa"]}}
QUESTION = "How many countries of Africa have more than 20 million people?"


def over(text, relation="population"):
    return {
        "op": "Filter",
        "source": {"op": "And", "left": COUNTRIES, "right": AFRICAN},
        "key": {"op": "Key", "path": [relation]},
        "comparison": ">",
        "value": {"op": "Constant", "text": text},
    }


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return land.build(tmp_path_factory.mktemp("atlas") / "graph")


@pytest.fixture
def ask(snapshot):
    """``ask(replies, question)``: the events, and what the language model was sent."""

    def asked(replies, question=QUESTION, **settings):
        waiting = iter(replies)
        with LLMServer(lambda _: next(waiting), delay=settings.pop("delay", 0.0)) as server:
            llm = LLMSettings(server.url, "scripted", retries=0, **settings)
            spec = AnswererSpec(snapshot.path, None, reasoner="llm-program")
            parts = GraphParts(snapshot, WordEncoder())
            answerer = open_answerer(Opening(spec, parts, make_reasoner("llm-program", llm), llm))
            answerer.linker = LabelLinker(snapshot)
            return list(answerer.run(AskRequest(Question(question)))), server.requests

    return asked


def reply(program):
    return f"Here it is:\n```json\n{json.dumps({'program': program})}\n```"


def one(found, kind):
    return next(event for event in found if isinstance(event, kind))


def labels(found):
    return [answer.label for answer in one(found, AnswerFinal).answers]


def test_the_right_program_is_run_and_shown(ask):
    found, sent = ask([reply({"op": "Count", "source": over("20 million")})], constraints="schema")
    assert labels(found) == ["2"]
    told = one(found, ProgramExecuted)
    assert (told.by, told.read.score) == ("model", 0.5)
    assert [step.count for step in told.steps] == [5, 4, 2, 0]
    assert told.steps[2].text == "with population > 20 million"
    assert [linked.mention for linked in one(found, QuestionLinked).entities] == ["Africa"]
    started = one(found, RunStarted)
    assert (started.reasoner, started.llm, list(started.prompts)) == ("llm-program", "scripted", ["program"])
    final = one(found, AnswerFinal)
    assert (final.usage.llm_calls, final.warnings) == (1, ())
    (request,) = sent
    prompt = request["messages"][-1]["content"]
    assert "coast: leads from Cairo to numbers, such as 200 km" in prompt
    assert "relation of kinds: type\ncountry (5)\ncity (2)" in prompt
    assert "<names>\nAfrica\n</names>" in prompt
    assert QUESTION in prompt
    held = request["response_format"]["json_schema"]["schema"]
    assert "^continent" in held["$defs"]["def-key"]["properties"]["path"]["items"]["enum"]


def test_values_are_compared_in_the_unit_that_they_have(ask):
    long = {
        "op": "Filter",
        "source": {"op": "Having", "relation": "river length"},
        "key": {"op": "Key", "path": ["river length"]},
        "comparison": ">=",
        "value": {"op": "Constant", "text": "2000"},
    }
    assert labels(ask([reply(long)], "rivers of 2000 at least")[0]) == ["Egypt"]
    since = {**long, "key": {"op": "Key", "path": ["independence"]}, "source": COUNTRIES}
    since["value"] = {"op": "Constant", "text": "1963"}
    assert labels(ask([reply(since)], "independent since 1963")[0]) == ["Kenya"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (reply(over("20 million", "inhabitants")), "there is no relation “inhabitants”; nothing is like it"),
        (
            reply(over("20 million", "populations")),
            "there is no relation “populations”; the nearest are “population”",
        ),
        (reply({**COUNTRIES, "source": {"op": "Entities", "ids": ["Egyp"]}}), "the nearest are “Egypt”"),
        (reply(over("many")), "“many” is no number, date or time"),
        (reply(over("3 kg", "river length")), "the values of “river length” cannot be compared with “3 kg”"),
        (
            reply({"op": "Walk", "relation": "type", "source": {"op": "Count", "source": COUNTRIES}}),
            "it cannot be run",
        ),
        (reply({"op": "Group", "source": COUNTRIES}), "there is no operation 'Group'"),
        (reply(over("900 million")), "it gives nothing when it is run"),
        ("I would count them.", "it holds no JSON object"),
        ('{"program": {"op": "Count"', "its JSON cannot be read"),
    ],
)
def test_what_is_wrong_is_told_once_and_corrected(ask, wrong, said):
    found, sent = ask([wrong, reply({"op": "Count", "source": over("20 million")})])
    assert labels(found) == ["2"]
    assert said in sent[1]["messages"][-1]["content"]
    assert one(found, AnswerFinal).usage.llm_calls == 2


def test_what_is_wrong_twice_is_read_without_it(ask):
    wrong = reply(over("20 million", "inhabitants"))
    found, _ = ask([wrong, wrong], "How many countries are in Africa?")
    assert labels(found) == ["4"]
    assert one(found, ProgramExecuted).by == "reader"
    (warning,) = one(found, AnswerFinal).warnings
    assert "there is no relation “inhabitants”" in warning
    assert warning.endswith("the question was read without it.")


def test_a_silent_endpoint_is_not_waited_for(ask):
    found, _ = ask(["much " * 40], "How many countries are in Africa?", delay=0.2, silence_timeout=0.1)
    assert labels(found) == ["4"]
    assert "was silent for 0.1 s" in one(found, AnswerFinal).warnings[0]


def test_nothing_twice_is_what_was_asked(ask):
    nothing = reply(over("900 million"))
    found, _ = ask([nothing, nothing])
    final = one(found, AnswerFinal)
    assert (final.answers, final.no_answer.reason) == ((), "no_path")
    assert one(found, ProgramExecuted).by == "model"


def test_an_endpoint_that_takes_no_schema_is_sent_none(ask):
    counted = reply({"op": "Count", "source": COUNTRIES})
    found, (request,) = ask([counted], "How many countries?", constraints="none")
    assert (labels(found), "response_format" in request) == (["5"], False)


def test_methods_without_programs_are_refused(snapshot):
    with pytest.raises(MethodError, match="inses takes no program"):
        require_written(AnswererSpec(snapshot.path, None, method="inses", reasoner="llm-program"))


def test_the_grammar_knows_every_operation():
    made = build_grammar(["capital"])
    text = json.dumps(made)
    assert made["$defs"]["set"]["anyOf"][1]["properties"]["relation"]["enum"] == ["capital", "^capital"]
    assert all(str(one) in text for one in (*map(json.dumps, Comparison), *map(json.dumps, TextMatch)))
