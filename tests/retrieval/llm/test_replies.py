"""Replies are kept before anybody sees them: what is paid for is never asked for again."""

import json
import subprocess
import sys
import threading
import time

import pytest

from retrieval.environment import LLMSettings
from retrieval.errors import Cancelled, LLMError
from retrieval.llm.chat import ChatUsage
from retrieval.llm.constraints import make_chosen_lines
from retrieval.llm.replies import PATIENCE, REPLY_LIMIT, Asker, ReplyStore, Request
from retrieval.types import Usage
from tests.retrieval.reasoning.endpoint import Endpoint, fails, says, silent
from tests.support.llm_server import LLMServer

TINY = LLMSettings("http://x/v1", "tiny")


def request(text, prompt="p_v1"):
    return Request(prompt, (("user", text),))


def echo(body):
    return "you said " + body["messages"][-1]["content"]


def asker(url, store, **kwargs):
    return Asker(LLMSettings(url, "tiny", backoff=0.01, retries=0), ReplyStore(store), **kwargs)


def texts(replies):
    return {index: reply.text if reply else None for index, reply in replies}


def test_a_second_run_asks_nothing(tmp_path):
    asked = [request("one"), request("two")]
    with LLMServer(echo) as server:
        first = asker(server.url, tmp_path)
        assert texts(first.ask(asked)) == {0: "you said one", 1: "you said two"}
        assert first.usage == Usage(2, 200, 6)
        second = asker(server.url, tmp_path)
        assert texts(second.ask(asked)) == {0: "you said one", 1: "you said two"}
        assert second.usage == Usage()
        assert (second.kept, len(server.requests)) == (2, 2)


def test_equal_requests_are_asked_once(tmp_path):
    with LLMServer(echo) as server:
        found = texts(asker(server.url, tmp_path).ask([request("same")] * 3))
        assert found == dict.fromkeys(range(3), "you said same")
        assert len(server.requests) == 1


@pytest.mark.parametrize("changed", [request("one", "p_v2"), request("One")])
def test_another_prompt_version_or_text_is_another_question(tmp_path, changed):
    assert changed.compute_key(TINY) != request("one").compute_key(TINY)
    assert request("one").compute_key(LLMSettings("http://x/v1", "large")) != request("one").compute_key(TINY)
    with LLMServer(echo) as server:
        list(asker(server.url, tmp_path).ask([request("one")]))
        list(asker(server.url, tmp_path).ask([changed]))
        assert len(server.requests) == 2


def test_what_a_reply_is_held_to_is_sent_and_names_it_where_the_endpoint_understands_it(tmp_path):
    held = request("one").apply_constraint(make_chosen_lines(["Path 0"]))
    grammar = LLMSettings("http://x/v1", "tiny", constraints="grammar")
    assert held.compute_key(TINY) == request("one").compute_key(TINY) == request("one").compute_key(grammar)
    assert held.compute_key(grammar) != held.compute_key(TINY)
    with LLMServer(echo) as server:
        for constraints in ("none", "grammar"):
            settings = LLMSettings(server.url, "tiny", constraints=constraints)
            list(Asker(settings, ReplyStore(tmp_path)).ask([held]))
        grammars = [body.get("grammar") for body in server.requests]
    assert grammars == [None, 'root ::= none | from-0\nnone ::= "none"\nfrom-0 ::= "Path 0"\n']


def test_no_more_requests_run_at_a_time_than_allowed(tmp_path):
    running, most, lock = [], [], threading.Lock()

    def slow(body):
        with lock:
            running.append(1)
            most.append(len(running))
        time.sleep(0.05)
        with lock:
            running.pop()
        return "done"

    with LLMServer(slow) as server:
        list(asker(server.url, tmp_path, concurrency=2).ask([request(str(i)) for i in range(8)]))
    assert len(most) == 8
    assert max(most) == 2


SCRIPT = """
import sys
from pathlib import Path
from retrieval.llm.replies import Asker, ReplyStore, Request
from retrieval.environment import LLMSettings
asked = [Request("p_v1", (("user", str(i)),)) for i in range(20)]
asker = Asker(LLMSettings(sys.argv[1], "tiny"), ReplyStore(Path(sys.argv[2])), concurrency=1)
for index, reply in asker.ask(asked):
    print(index, flush=True)
"""


@pytest.mark.slow
def test_a_killed_run_pays_only_for_the_rest(tmp_path):
    with LLMServer(echo) as server:
        run = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, server.url, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        seen = [run.stdout.readline() for _ in range(5)]
        run.kill()
        run.communicate()
        assert seen == [f"{i}\n" for i in range(5)]
        kept = len(list(tmp_path.glob("*/*.json")))
        assert kept >= 5
        server.requests.clear()
        rest = asker(server.url, tmp_path)
        assert len(texts(rest.ask([request(str(i)) for i in range(20)]))) == 20
        assert rest.kept == kept
        assert len(server.requests) == 20 - kept == rest.usage.llm_calls


def test_a_damaged_file_is_asked_for_again(tmp_path):
    with LLMServer(echo) as server:
        list(asker(server.url, tmp_path).ask([request("one")]))
        (file,) = tmp_path.glob("*/*.json")
        assert json.loads(file.read_text())["usage"]["completion_tokens"] == 3
        file.write_text(file.read_text()[:20])
        again = asker(server.url, tmp_path)
        assert texts(again.ask([request("one")])) == {0: "you said one"}
        assert again.usage == Usage(1, 100, 3)


def test_one_failure_costs_one_reply_and_is_tried_again_next_time(tmp_path):
    with Endpoint(says("a"), fails(500), says("c")) as endpoint:
        first = asker(endpoint.url, tmp_path, concurrency=1)
        assert texts(first.ask([request(x) for x in "abc"])) == {0: "a", 1: None, 2: "c"}
        assert (first.failed, first.usage) == (1, Usage(2, 22, 14))
    with Endpoint(says("b")) as endpoint:
        assert texts(asker(endpoint.url, tmp_path).ask([request(x) for x in "abc"])) == {
            0: "a",
            1: "b",
            2: "c",
        }
        assert len(endpoint.bodies) == 1


def test_an_endpoint_that_keeps_failing_is_given_up(tmp_path):
    with Endpoint(fails(500)) as endpoint:
        with pytest.raises(LLMError, match="error 500"):
            list(asker(endpoint.url, tmp_path, concurrency=1).ask([request(str(i)) for i in range(9)]))
        assert len(endpoint.bodies) <= PATIENCE + 1


def test_a_single_request_that_fails_is_an_error(tmp_path):
    with Endpoint(fails(401)) as endpoint, pytest.raises(LLMError, match="refuses the key"):
        list(asker(endpoint.url, tmp_path).ask([request("one")]))


def test_stop_is_heeded_while_the_endpoint_is_silent(tmp_path):
    with Endpoint(silent) as endpoint:
        with pytest.raises(Cancelled):
            list(asker(endpoint.url, tmp_path).ask([request("x")], cancelled=lambda: bool(endpoint.bodies)))
        assert endpoint.hung_up.wait(5)
    assert not list(tmp_path.glob("*/*.json"))


def test_an_endless_reply_is_cut_and_kept_since_it_is_paid_for(tmp_path):
    with Endpoint(says(*["x" * 1000] * 30)) as endpoint:
        ((_, reply),) = asker(endpoint.url, tmp_path).ask([request("x")])
        assert REPLY_LIMIT < len(reply.text) <= REPLY_LIMIT + 1000
        assert reply.usage == ChatUsage(1, 1, (len(reply.text) + 2) // 3)
        assert len(list(asker(endpoint.url, tmp_path).ask([request("x")]))) == 1
        assert len(endpoint.bodies) == 1
