"""Editing a path hop by hop, and adding one that is missing, against the queue's version of the graph."""

import json
import uuid

import pytest

from tests.webapp.review.calls import BORDERS, ITEMS, URL, after, draft, send
from webapp.review.models import CandidatePath, Item, Submission

LANGUAGE = (("official_language", False),)
SPOKEN = (*BORDERS, *LANGUAGE)


@pytest.fixture
def item(api, make):
    """ "What is spoken around Switzerland?", with one path that misses French."""
    drafts = [draft("q1", "Switzerland", ["German", "French"], (LANGUAGE, 1.0))]
    return after(api("analyst"), make(drafts, overlap=2))


def hops(client, item, topic, path):
    answer = client.get(f"{ITEMS}/{item['id']}/hops", {"topic": topic, "path": json.dumps(path)})
    assert answer.status_code == 200, answer.content
    return answer.json()


def add(client, item, topic="Switzerland", path=SPOKEN, **fields):
    body = {"id": str(uuid.uuid4()), "topic": topic, "path": [list(step) for step in path], **fields}
    return client.post(f"{ITEMS}/{item['id']}/candidates", body, format="json")


def labels(nodes):
    return [node["label"] for node in nodes]


def test_a_path_is_followed_hop_by_hop(api, item):
    shown = hops(api("viewer"), item, "Switzerland", SPOKEN)
    assert (shown["valid"], shown["error"], shown["same_as"]) == (True, None, None)
    assert [(s["relation"], s["label"], s["inverse"], s["reached"]) for s in shown["steps"]] == [
        ("borders", "borders", False, 2),
        ("official_language", "official language", False, 2),
    ]
    assert [labels(s["sample"]) for s in shown["steps"]] == [["France", "Germany"], ["French", "German"]]
    assert (shown["reached"], shown["hits"], shown["precision"], shown["recall"]) == (2, 2, 1.0, 1.0)
    assert (sorted(labels(shown["hit"])), shown["extra"], shown["missed"]) == (["French", "German"], [], [])
    walked = sorted((h["source"]["label"], h["target"]["label"]) for h in shown["hops"])
    assert walked == [
        ("France", "French"),
        ("Germany", "German"),
        ("Switzerland", "France"),
        ("Switzerland", "Germany"),
    ]


ONLY_BACK = (
    "except Switzerland itself: a path returns to its topic only by a step that leads nowhere else and does not "
    "reverse the one before it, unless Switzerland is among the answers."
)


def test_how_a_path_can_go_on_the_best_first(api, item):
    shown = hops(api("viewer"), item, "Switzerland", BORDERS)
    assert [(n["relation"], n["inverse"], n["reached"], n["hits"], n["recall"]) for n in shown["next"]] == [
        ("official_language", False, 2, 2, 1.0),
        ("capital", False, 1, 0, 0.0),
    ], "borders reversed lead back to Switzerland alone"
    assert shown["next_total"] == 2
    assert (shown["reached"], shown["hits"], labels(shown["extra"])) == (2, 0, ["France", "Germany"])
    assert sorted(labels(shown["missed"])) == ["French", "German"]


def test_a_path_begins_at_its_topic(api, item):
    shown = hops(api("viewer"), item, "Switzerland", [])
    assert (shown["valid"], shown["error"]["code"], shown["steps"], shown["reached"]) == (
        False,
        "bad_path",
        [],
        0,
    )
    assert [(n["relation"], n["inverse"]) for n in shown["next"]] == [
        ("official_language", False),
        ("borders", False),
    ]


def test_a_path_that_is_there_already_is_named(api, item):
    shown = hops(api("viewer"), item, "Switzerland", LANGUAGE)
    assert shown["same_as"] == item["candidates"][0]["id"]
    assert (shown["reached"], shown["hits"], shown["recall"]) == (1, 1, 0.5)


@pytest.mark.parametrize(
    ("spelled", "message", "walked"),
    [
        (("Mars", BORDERS), "The graph has no entity Mars.", 0),
        (("Switzerland", (("speaks", False),)), "The graph has no relation speaks.", 0),
        (("Switzerland", (*BORDERS, ("speaks", True))), "The graph has no relation speaks.", 1),
        (
            ("Switzerland", (*BORDERS, ("capital", True))),
            "Nothing is reached by step 2, capital backward.",
            1,
        ),
        (("Switzerland", BORDERS * 9), "Nothing is reached by step 2, borders.", 1),
        (
            ("Switzerland", (("official_language", False), ("official_language", True), *BORDERS)),
            f"Nothing is reached by step 3, borders, {ONLY_BACK}",
            2,
        ),
        (
            ("Switzerland", (*BORDERS, ("borders", True))),
            f"Nothing is reached by step 2, borders backward, {ONLY_BACK}",
            1,
        ),
    ],
)
def test_what_is_no_path_is_said_as_far_as_it_goes(api, item, spelled, message, walked):
    shown = hops(api("analyst"), item, *spelled)
    assert (shown["valid"], shown["error"]["message"], len(shown["steps"])) == (False, message, walked)
    assert add(api("analyst"), item, *spelled).json()["error"]["message"] == message
    assert CandidatePath.objects.count() == 1


NO_PATHS = ["{}", "[[1, false]]", '[["borders", 0]]', '[["borders"]]', "[", '[["a\\u0000", true]]']


@pytest.mark.parametrize("path", NO_PATHS)
def test_what_is_not_spelled_as_a_path(api, item, path):
    answer = api("viewer").get(f"{ITEMS}/{item['id']}/hops", {"topic": "Switzerland", "path": path})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")


def test_topics_are_those_of_the_question_until_one_is_searched(api, item):
    client = api("viewer")
    assert labels(client.get(f"{ITEMS}/{item['id']}/topics").json()) == ["Switzerland"]
    found = client.get(f"{ITEMS}/{item['id']}/topics", {"q": "germ"}).json()
    assert labels(found) == ["Germany", "German"], "the better connected first"


def test_a_missing_path_is_added_and_judged(api, ann, item):
    client, first = api("analyst"), item["candidates"][0]["id"]
    answer = add(client, item, edited_from=first)
    assert answer.status_code == 200, answer.content
    now = answer.json()["item"]
    assert (now["version"], now["shown"] == item["shown"]) == (1, False)
    added = now["candidates"][1]
    assert (added["author"], added["edited_from"], added["retired"]) == ("analyst", first, False)
    assert (added["reached"], added["hits"], added["precision"], added["recall"]) == (2, 2, 1.0, 1.0)
    assert [s["label"] for s in added["steps"]] == ["borders", "official language"]
    assert added["sources"] == [
        {"source": "analyst", "label_set": None, "name": "analyst", "score": 1.0, "explanation": ""}
    ]
    assert send(client, now, "not-rational", "rational").status_code == 200
    theirs = after(ann, Item.objects.get(pk=item["id"]).queue)
    assert len(theirs["candidates"]) == 2
    assert api("viewer").get(f"{URL}/{item['queue']}").json()["candidates"] == 2


def test_the_same_path_is_added_once(api, ann, item):
    first = add(api("analyst"), item).json()["item"]
    second = add(ann, item).json()["item"]
    assert second["version"] == first["version"]
    assert [c["author"] for c in second["candidates"]] == [None, "analyst"]
    assert Submission.objects.filter(kind="added-path").count() == 1


def test_a_repeated_addition_adds_nothing(api, item):
    id = str(uuid.uuid4())
    for _ in range(2):
        assert add(api("analyst"), item, id=id).status_code == 200
    assert (CandidatePath.objects.count(), Submission.objects.count()) == (2, 1)
    other = add(api("analyst"), item, path=BORDERS, id=id)
    assert other.status_code == 200, "a repeat by its id"
    assert CandidatePath.objects.count() == 2


def test_a_path_added_meanwhile_is_shown_before_one_judges(api, ann, item):
    theirs = after(ann, Item.objects.get(pk=item["id"]).queue)
    now = add(api("analyst"), item).json()["item"]
    answer = send(ann, theirs, "rational")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert (
        answer.json()["error"]["message"]
        == "The paths or answers of this question changed while you had it before you."
    )
    assert [c["id"] for c in answer.json()["item"]["candidates"]] == [c["id"] for c in now["candidates"]]
    assert send(ann, answer.json()["item"], "rational", "rational").status_code == 200


def test_who_judged_before_keeps_what_they_said(api, ann, item):
    send(ann, item, "rational")
    now = add(api("analyst"), item).json()["item"]
    assert (now["submitted"], now["state"]) == (1, "open")
    assert send(api("analyst"), now, "rational", "rational").json()["item"]["state"] == "done"
    shown = api("viewer").get(f"{URL}/{item['queue']}/statistics").json()
    assert (shown["agreement"]["paths"], shown["unanimous"]) == (1, 1)


def test_a_path_is_edited_from_one_of_the_same_question(api, item):
    answer = add(api("analyst"), item, edited_from=10**9)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert CandidatePath.objects.count() == 1


def test_viewers_add_nothing(api, item):
    assert add(api("viewer"), item).status_code == 403
