"""Links that show an answer to whoever has them, and nothing else, until they end."""

import io
import json
from datetime import timedelta
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone
from PIL import Image, ImageFont
from rest_framework.test import APIClient

from retrieval.events import (
    AgentStep,
    AnswerFinal,
    ChainsBuilt,
    PassagesRetrieved,
    ProgramExecuted,
    QuestionLinked,
    RouterDecided,
    RunStarted,
    to_payload,
)
from retrieval.results import Answer, Citation, NoAnswer, NoAnswerReason, ProgramReading, RankedValue
from retrieval.types import (
    EvidenceChain,
    Hop,
    LinkedEntity,
    Node,
    Passage,
    RelationStep,
    RetrievedPassage,
    Usage,
)
from tests.support.sockets import Socket
from webapp.accounts.models import Scope
from webapp.accounts.services import create_token
from webapp.answers.models import Run, RunEvent
from webapp.project.asgi import application
from webapp.sharing import card, services
from webapp.sharing.models import SharedLink

URL = "/api/v1/shared-links"
SECRET = "hidden-7f3a"
"""Stands in everything of a run that a link does not show."""

FRANCE, SPAIN, HIDDEN = Node(0, "France"), Node(1, "Spain"), Node(2, SECRET)
BORDERS = RelationStep("borders", "borders", False)
PASSAGES = [Passage(3, "p3", "Borders", "France borders Spain."), Passage(4, SECRET, SECRET, SECRET)]


def make_events(answers):
    chain = EvidenceChain(
        FRANCE, (BORDERS,), ((SPAIN,),), (1,), (Hop(FRANCE, BORDERS, SPAIN, verified=True),), score=0.9
    )
    usage = Usage(prompt_tokens=5151)
    none = None if answers else NoAnswer(NoAnswerReason.NO_PATH, "No path leads there.", near=(SECRET,))
    reading = ProgramReading("countries that border France", {"operation": SECRET}, 0.9)
    linked = LinkedEntity(FRANCE, "France", 0, 6, 1.0, "exact", (HIDDEN,))
    ranked = (RankedValue(SPAIN, "9", answer=True), RankedValue(HIDDEN, "8", answer=False))
    sentence = "France borders Spain." if answers else None
    return [
        RunStarted("Who?", SECRET, SECRET, SECRET, SECRET, SECRET, 9, 9, SECRET, {SECRET: SECRET}, SECRET),
        QuestionLinked((linked,), (), 1.0),
        RouterDecided(SECRET, SECRET, {SECRET: 1.0}, 1.0),
        AgentStep(1, SECRET, SECRET, SECRET, (), 1, 1, 1.0, current=(HIDDEN,)),
        PassagesRetrieved(tuple(RetrievedPassage(each, 0.5) for each in PASSAGES), SECRET, 1.0),
        ProgramExecuted(reading, (), (ProgramReading(SECRET, {}, 0.1),), ranked, SECRET, SECRET, 1.0),
        ChainsBuilt((chain,), 1, 1, 1.0),
        AnswerFinal(answers, none, "", (), usage, 1.0, sentence=sentence),
    ]


@pytest.fixture
def ask(tiny_graph, users):
    """``ask("What borders France?")`` is a run of the viewer that was answered."""

    def make(question="What borders France?", graph=tiny_graph, **values):
        answers = (Answer("Spain", 0.9, SPAIN, chains=(0,), verified=True, citations=(Citation(3, 0, 21),)),)
        common = {"snapshot_hash": SECRET, "method": "inses", "reasoner": "extractive", "budget": 5, "seed": 0}
        events = make_events(values.pop("answers", answers))
        values = {"user": users["viewer"], "state": "done", **common, **values}
        run = Run.objects.create(graph=graph, question=question, **values)
        for seq, event in enumerate(events, 1):
            RunEvent.objects.create(run=run, seq=seq, at=timezone.now(), type=event.type, payload=to_payload(event))
        return run

    return make


@pytest.fixture
def share(api):
    """``share(run)`` is the token of a new link and its row."""

    def make(run, role="viewer", **values):
        answer = api(role).post(URL, {"run": str(run.pk), **values}, format="json")
        assert answer.status_code == 201, answer.content
        return answer.json()["token"], SharedLink.objects.get(pk=answer.json()["id"])

    return make


@pytest.fixture
def dist(tmp_path, settings):
    """Pages as a build leaves them."""
    (tmp_path / "index.html").write_text("<!doctype html><head><title>Clew</title></head>")
    (tmp_path / "pages.json").write_text(json.dumps(["/", "/shared/:token", "/embed/:token"]))
    settings.FRONTEND_DIST = tmp_path


def open_link(token):
    """What somebody without an account gets: the status, and the content or what is said."""
    answer = APIClient().get(f"/api/v1/shared/{token}")
    content = answer.json()
    return answer.status_code, content if answer.status_code == 200 else content["error"]["message"]


def test_a_link_shows_question_answer_and_proof_and_nothing_else(ask, share):
    run = ask()
    token, link = share(run)
    status, content = open_link(token)
    assert status == 200
    ((turn),) = content["turns"]
    assert turn["question"] == "What borders France?"
    by_type = {event["type"]: event for event in turn["events"]}
    assert [event["seq"] for event in turn["events"]] == [1, 2, 3, 4, 5, 6]
    assert by_type["answer.final"]["sentence"] == "France borders Spain."
    assert by_type["answer.final"]["answers"][0]["label"] == "Spain"
    assert by_type["chains.built"]["chains"][0]["hops"][0]["verified"] is True
    assert [each["passage"]["id"] for each in by_type["passages.retrieved"]["passages"]] == [3]
    by_type["passages.retrieved"].pop("strategy")
    assert len(by_type["program.executed"]["ranked"]) == 1
    assert by_type["program.executed"]["read"]["text"] == "countries that border France"
    text = json.dumps(content)
    assert [word for word in (SECRET, str(run.pk), "viewer", "Tiny", "5151") if word in text] == []
    assert (link.digest == token, token in link.digest, len(token)) == (False, False, 43)
    link.refresh_from_db()
    assert link.opened_at is not None


async def test_the_token_of_a_link_opens_nothing_else(ask, share, tiny_graph):
    def look():
        run, other = ask(), ask("Another question?")
        token, _ = share(run)
        bearer, anonymous = APIClient(), APIClient()
        bearer.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        paths = [
            *(f"runs/{each.pk}{end}" for each in (run, other) for end in ("", "/events", "/export", "/table")),
            *("graphs", f"graphs/{tiny_graph.pk}", f"graphs/{tiny_graph.pk}/entities?q=France", "runs", "status"),
            *(f"graphs/{tiny_graph.pk}/neighbours?entity=0", "shared-links", "sharing-policy", "users", "uploads"),
            f"graphs/{tiny_graph.pk}/picture?nodes=0",
        ]
        for client in (bearer, anonymous):
            assert {client.get(f"/api/v1/{path}").status_code for path in paths} == {401}
        asked = {"graph": tiny_graph.pk, "question": "What?", "questions": ["What?"]}
        refused = [bearer.post(f"/api/v1/{path}", asked, format="json").status_code for path in ("runs", "retrieve")]
        assert refused == [401, 401]
        for address in (other.pk, run.pk, run.thread, f"{token}/events", token[:-1], f"{token}x"):
            assert open_link(address)[0] == 404, address
        return run, token

    run, token = await sync_to_async(look)()
    for headers in ([], [(b"authorization", f"Bearer {token}".encode())]):
        socket = Socket(application, f"/ws/runs/{run.pk}?after=0", headers)
        assert await socket.connect()
        assert await socket.close_code() == 4401


def test_a_conversation_is_shown_up_to_the_shared_question(ask, share, api):
    thread = uuid4()
    first = ask("What borders France?", thread=thread)
    ask("It failed?", thread=thread, state="failed")
    second = ask("And Spain?", thread=thread, follows=first)
    token, _ = share(second, conversation=True)
    alone, _ = share(second)
    ask("A later question?", thread=thread, follows=second)
    assert [turn["question"] for turn in open_link(token)[1]["turns"]] == ["What borders France?", "And Spain?"]
    assert [turn["question"] for turn in open_link(alone)[1]["turns"]] == ["And Spain?"]
    refused = api("viewer").post(URL, {"run": str(ask().pk), "conversation": True}, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid")


def test_a_link_that_ended_says_why(ask, share, api, tiny_graph, users):
    token, link = share(ask(), expires_days=2)
    assert timedelta(days=1, hours=23) < link.expires_at - timezone.now() <= timedelta(days=2)
    assert open_link("unknown") == (404, "There is no such link.")
    users["viewer"].is_active = False
    users["viewer"].save()
    assert open_link(token) == (410, "This answer is not shared any more.")
    users["viewer"].is_active = True
    users["viewer"].save()
    tiny_graph.visibility = "private"
    tiny_graph.save()
    assert open_link(token) == (410, "This answer is not shared any more.")
    tiny_graph.visibility = "public"
    tiny_graph.save()
    assert open_link(token)[0] == 200
    assert api("admin").patch("/api/v1/sharing-policy", {"enabled": False}, format="json").status_code == 200
    assert open_link(token) == (410, "Sharing by link is turned off here.")
    api("admin").patch("/api/v1/sharing-policy", {"enabled": True}, format="json")
    SharedLink.objects.update(expires_at=timezone.now())
    assert open_link(token) == (410, "This link has expired.")
    assert api("viewer").get(URL).json()["count"] == 1
    assert api("viewer").delete(f"{URL}/{link.pk}").status_code == 204
    assert open_link(token) == (410, "This link was revoked.")
    assert api("viewer").get(URL).json()["count"] == 0


def test_links_are_made_by_who_sees_the_answer_as_administrators_allow(ask, share, api, users, monkeypatch):
    run, client = ask(), api("viewer")

    def refuse(values, client=client):
        answer = client.post(URL, {"run": str(run.pk), **values}, format="json")
        return answer.status_code, answer.json()["error"]["code"]

    assert refuse({"expires_days": None}) == (403, "forbidden")
    assert refuse({"expires_days": 0}) == (400, "invalid")
    assert refuse({"run": str(uuid4())}) == (404, "not_found")
    assert refuse({"run": str(ask(state="running").pk)}) == (409, "conflict")
    assert refuse({"run": str(ask(trial=True).pk)}) == (409, "conflict")
    for origin in ("*", "https://*.org", "blog.org", "https://a.org/b", "https://a.org; script-src *", "data:x", ""):
        assert refuse({"origins": [origin]}) == (400, "invalid"), origin
    script = APIClient()
    token = create_token(user=users["viewer"], scopes=[Scope.READ, Scope.ASK, Scope.WRITE])
    script.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert refuse({}, script) == (403, "forbidden")
    assert client.patch("/api/v1/sharing-policy", {"endless": True}, format="json").status_code == 403
    api("admin").patch("/api/v1/sharing-policy", {"endless": True}, format="json")
    link = share(run, expires_days=None, origins=["https://Blog.Example.org/", "http://localhost:8080"])[1]
    assert (link.expires_at, link.origins) == (None, ["http://localhost:8080", "https://blog.example.org"])
    monkeypatch.setattr(services, "LINKS_MAX", 1)
    assert refuse({}) == (409, "conflict")
    api("admin").patch("/api/v1/sharing-policy", {"enabled": False}, format="json")
    assert refuse({}) == (403, "forbidden")
    run.graph.visibility = "private"
    run.graph.save()
    assert refuse({}) == (404, "not_found")


def test_links_are_listed_for_their_maker_and_for_administrators(ask, share, api):
    link = share(ask())[1]
    shown = api("viewer").get(URL).json()["results"][0]
    assert (shown["question"], shown["user"], "token" in shown, "digest" in shown) == (
        *("What borders France?", "viewer", False, False),
    )
    assert api("analyst").get(URL).json()["count"] == api("admin").get(URL).json()["count"] == 0
    assert api("analyst").get(f"{URL}?all=1").status_code == 403
    assert api("analyst").delete(f"{URL}/{link.pk}").status_code == 404
    assert [row["id"] for row in api("admin").get(f"{URL}?all=1").json()["results"]] == [link.pk]
    assert api("admin").delete(f"{URL}/{link.pk}").status_code == 204


def test_opening_is_rate_limited(ask, share, settings, dist):
    settings.LINKS_OPENED_OF_ADDRESS = 2, 60
    token, _ = share(ask())
    assert [open_link(token)[0], open_link("guess")[0]] == [200, 404]
    answer = APIClient().get(f"/api/v1/shared/{token}")
    assert (answer.status_code, 0 < int(answer["Retry-After"]) <= 60) == (429, True)
    page = Client().get(f"/shared/{token}")
    assert (page.status_code, b"og:title" in page.content, "Retry-After" in page) == (429, False, True)
    assert Client().get(f"/shared/{token}/card.png").status_code == 429
    assert Client(REMOTE_ADDR="10.1.1.1").get(f"/shared/{token}").status_code == 200


def test_the_page_has_tags_for_previews_and_is_framed_by_nobody(ask, share, dist):
    token, link = share(ask('<b>"Who"</b>?'), origins=["https://blog.example.org"])
    page = Client().get(f"/shared/{token}")
    text = page.content.decode()
    assert '<meta property="og:title" content="&lt;b&gt;&quot;Who&quot;&lt;/b&gt;?" />' in text
    assert '<meta property="og:description" content="France borders Spain." />' in text
    assert f'content="http://testserver/shared/{token}/card.png"' in text
    assert '<meta name="robots" content="noindex, nofollow" />' in text
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert (page["X-Frame-Options"], page["Referrer-Policy"]) == ("DENY", "no-referrer")
    assert (page["Cache-Control"], "Set-Cookie" in page, page.cookies) == ("private, no-store", False, {})
    services.revoke_link(link=link)
    for address, status in ((token, 410), ("unknown", 404)):
        ended = Client().get(f"/shared/{address}")
        assert (ended.status_code, b"og:" in ended.content, b"noindex" in ended.content) == (status, False, True)
        assert Client().get(f"/shared/{address}/card.png").status_code == status


def test_only_the_allowed_sites_frame_the_embedded_page(ask, share, dist):
    run = ask()
    token, link = share(run, origins=["https://blog.example.org", "http://localhost:8080"])
    closed, _ = share(run)

    def get_framing(path):
        answer = Client().get(path)
        policy = dict(part.split(" ", 1) for part in answer["Content-Security-Policy"].split("; "))
        return policy["frame-ancestors"], policy["script-src"], answer.headers.get("X-Frame-Options")

    allowed = "http://localhost:8080 https://blog.example.org"
    assert get_framing(f"/embed/{token}") == (allowed, "'self'", None)
    for path in (f"/embed/{closed}", "/embed/unknown", f"/shared/{token}", "/", f"/api/v1/shared/{token}"):
        assert get_framing(path) == ("'none'", "'self'", "DENY"), path
    services.revoke_link(link=link)
    ended = Client().get(f"/embed/{token}")
    assert (ended.status_code, "X-Frame-Options" in ended) == (410, False)


def test_the_card_is_a_picture_of_question_and_answer(ask, share):
    token, _ = share(ask())
    answer = Client().get(f"/shared/{token}/card.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    with Image.open(io.BytesIO(answer.content)) as picture:
        assert (picture.format, picture.size) == ("PNG", (1200, 630))
    none, _ = share(ask(answers=()))
    assert Client().get(f"/shared/{none}/card.png").content != answer.content
    font: ImageFont.FreeTypeFont = card._load_font(34, 500)
    assert card.split_lines("größer als Öl", font, 2000, 2) == ["größer als Öl"]
    lines = card.split_lines("a bb " * 99 + "w" * 500, font, 300, 3)
    assert (len(lines), lines[-1][-1], max(map(font.getlength, lines)) <= 300) == (3, "…", True)
