"""Other tools ask Clew as docs/api.md says: its code, run against a web server and a worker; and what goes wrong."""

import json
import threading
import time
from datetime import timedelta

import openai
import pytest
from django.utils import timezone

from retrieval.events import AnswerFinal, RunFailed, RunStarted
from retrieval.results import Answer
from retrieval.types import Usage
from tests.support.guides import run_page
from webapp.accounts.models import Scope, User
from webapp.accounts.services import create_token, make_token
from webapp.answers import following
from webapp.answers.models import Run
from webapp.jobs import cancel


@pytest.fixture
def client(server):
    """The real client, of a viewer, that tries once."""
    return make_client(server, server.token("viewer"))


def make_client(server, token):
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=token, max_retries=0, timeout=30)


@pytest.mark.slow
def test_the_page_works_as_written(users, demo, server, tmp_path, monkeypatch):
    monkeypatch.setenv("CLEW_TOKEN", server.token("admin"))
    monkeypatch.setenv("CLEW_PASSWORD", "correct-horse-battery")
    monkeypatch.setenv("CLEW_RECONCILE_TOKEN", create_token(user=users["admin"], scopes=[Scope.RECONCILE]))
    graph_addresses = {
        address.format(1): address.format(demo.pk) for address in ('"graph": {}', "/graphs/{}/", 'TOKEN/{}"')
    }
    printed, promised = run_page("api.md", tmp_path, {"http://127.0.0.1:8000": server.url, **graph_addresses})
    print(json.dumps(printed)[:5000])
    assert {name: printed[name] for name in promised} == promised
    (retrieved,) = json.loads(printed["retrieve"])["results"]
    best = retrieved["triples"][0]
    assert [best["head"]["label"], best["relation"]["name"], best["tail"]["label"]] == ["France", "capital", "Paris"]
    assert json.loads(printed["token"])["token"]
    candidates = json.loads(printed["reconcile"])["q0"]["result"]
    assert (candidates[0]["name"], candidates[0]["match"]) == ("Brussels", True)
    wait_until(lambda: not Run.objects.filter(retrieval=True).exists())


def asked(text, *before):
    """The messages of a chat: questions and what was answered to them."""
    earlier = [
        {"role": role, "content": content}
        for question in before
        for role, content in (("user", question), ("assistant", "Germany."))
    ]
    return [{"role": "system", "content": "Be brief."}, *earlier, {"role": "user", "content": text}]


def answer_with(label):
    """What an engine emits that answers with one label."""
    start = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
    return start, AnswerFinal((Answer(label, 0.9),), None, "", (), Usage(), 1.0, sentence=f"It is {label}.")


def refuse(error, call):
    """The error that the real client raises: its parameter, code and type."""
    with pytest.raises(error) as caught:
        call()
    return caught.value.param, caught.value.code, caught.value.type


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_chats_are_threads_and_misuse_is_refused(client, server, users, tiny_graph, scripted):
    scripted(*answer_with("Bern"))
    create = client.chat.completions.create
    whole = create(model="Tiny/auto", messages=asked("What is the  capital?"), tools=[TOOL])
    assert (whole.choices[0].message.content, whole.usage.total_tokens) == ("It is Bern.", 0)
    assert (whole.clew["answers"][0]["label"], whole.clew["confidence"], whole.citations) == ("Bern", 0.9, [])
    chunks = list(
        create(
            model="Tiny/rel-rag-path",
            messages=asked("And its river?", "What is the capital?"),
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == "It is Bern."
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]] == [None, None, "stop"]
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 0)
    first, second = Run.objects.order_by("created_at")
    assert (str(second.pk), second.follows, second.thread) == (chunks[-2].clew["run"], first, first.pk)
    # Questions that were asked elsewhere are asked again first.
    create(model="Tiny/auto", messages=asked("And there?", "What is the capital?", "Where is it?"))
    *_, third, fourth = Run.objects.order_by("created_at")
    assert [run.question for run in (third.follows, third, fourth.follows)] == [
        first.question,
        "Where is it?",
        third.question,
    ]

    hello = asked("Hello?")
    picture = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]
    bad, none = openai.BadRequestError, openai.NotFoundError
    for error, found, named in (
        (none, (None, "model_not_found", "not_found_error"), {"model": "Tiny/nothing", "messages": hello}),
        (none, (None, "model_not_found", "not_found_error"), {"model": "gpt-4o", "messages": hello}),
        (bad, ("n", "invalid_parameter", "invalid_request_error"), {"model": "Tiny/auto", "messages": hello, "n": 2}),
        (bad, ("messages", "invalid_parameter", "invalid_request_error"), {"model": "Tiny/auto", "messages": []}),
        (
            bad,
            ("messages", "invalid_parameter", "invalid_request_error"),
            {"model": "Tiny/auto", "messages": hello[:1]},
        ),
        (
            bad,
            ("messages.0.content", "invalid_parameter", "invalid_request_error"),
            {"model": "Tiny/auto", "messages": picture},
        ),
        (
            bad,
            ("tool_choice", "invalid_parameter", "invalid_request_error"),
            {"model": "Tiny/auto", "messages": hello, "tools": [TOOL], "tool_choice": "required"},
        ),
        (
            bad,
            (None, "bad_question", "invalid_request_error"),
            {"model": "Tiny/auto", "messages": asked("why " * 5000)},
        ),
    ):
        assert refuse(error, lambda named=named: create(**named)) == found
    huge = asked("What is the capital?", *["Where is it? " * 50] * 1500)
    with pytest.raises(openai.APIStatusError) as caught:
        create(model="Tiny/auto", messages=huge)
    assert caught.value.status_code == 413
    reader = create_token(user=User.objects.get(username="viewer"), scopes=[Scope.READ])
    for token, error, code in (
        (reader, openai.PermissionDeniedError, "forbidden"),
        ("wrong", openai.AuthenticationError, "not_authenticated"),
        (make_old_token(), openai.AuthenticationError, "not_authenticated"),
    ):
        other = make_client(server, token)
        assert (
            refuse(error, lambda other=other: other.chat.completions.create(model="Tiny/auto", messages=hello))[1]
            == code
        )
    assert next(model.id for model in make_client(server, reader).models.list()) == "Tiny/auto"
    assert client.models.retrieve("Tiny/auto").owned_by == "clew"

    begin, end = answer_with("Bern")
    scripted(begin, lambda: time.sleep(following.LOOK_AGAIN_S + 0.2), end)  # silent for longer than a log is left alone
    assert create(model="Tiny/auto", messages=hello).choices[0].message.content == "It is Bern."
    scripted(begin, RunFailed("damaged", "A file is broken.", "Import the graph again."))
    with pytest.raises(openai.InternalServerError, match="A file is broken"):
        create(model="Tiny/auto", messages=hello)
    with pytest.raises(openai.APIError, match="A file is broken"):
        list(create(model="Tiny/auto", messages=hello, stream=True))


def test_who_hangs_up_stops_the_run(client, server, tiny_graph, scripted):
    reached, ended = threading.Event(), threading.Event()

    def wait():
        reached.set()
        assert ended.wait(150)

    scripted(answer_with("x")[0], wait, *answer_with("x")[1:])
    for stream in (True, False):
        reached.clear()
        ended.clear()
        content = json.dumps({"model": "Tiny/auto", "messages": asked("Hello?"), "stream": stream}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {client.api_key}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        connection = server.connect(head.encode() + content)
        assert reached.wait(120)
        connection.close()
        run = Run.objects.latest("created_at")
        try:
            wait_until(cancel.make_stop_check("run", run.pk))
        finally:
            ended.set()
        wait_until(lambda run=run: Run.objects.get(pk=run.pk).finished_at)


def make_old_token():
    """A token that has expired."""
    viewer = User.objects.get(username="viewer")
    _, token = make_token(user=viewer, name="old", scopes=[*Scope], expires_at=timezone.now() - timedelta(days=1))
    return token


TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
