"""Right answers: who says what they are, the paths they bring, taking them back, and what leaves with them."""

import json
import uuid

from tests.webapp.review.calls import ITEMS, URL, after, send
from webapp.review.models import CandidatePath, Item, Submission


def tell(client, item, *answers, **fields):
    known = item["answered"] and item["answered"]["id"]
    body = {"id": str(uuid.uuid4()), "answers": list(answers), "replaces": known, **fields}
    return client.post(f"{ITEMS}/{item['id']}/answers", body, format="json")


def change(client, queue, what):
    answer = client.post(f"{URL}/{queue.pk}/{what}", {"id": str(uuid.uuid4())}, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()["item"]


def fits(item):
    return {
        "/".join(name for name, _ in one["path"]): (one["hits"], one["precision"], one["recall"])
        for one in item["candidates"]
    }


def test_paths_are_measured_by_what_an_analyst_says_and_more_are_found(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    assert (item["answers"], item["answered"]) == (["Berlin"], None)
    told = tell(client, item, "German").json()["item"]
    assert (told["answers"], told["answered"]["analyst"]) == (["German"], "analyst")
    assert fits(told) == {
        "capital": (0, 0.0, 0.0),
        "borders": (0, 0.0, 0.0),
        "official_language": (1, 1.0, 1.0),
    }
    assert (told["shown"] != item["shown"], told["version"]) == (True, 1)
    again = tell(client, told, "Berlin").json()["item"]
    assert list(fits(again)) == ["capital", "borders"], "what was found for other answers makes room"
    assert (fits(again)["capital"], CandidatePath.objects.filter(retired=True).count()) == ((1, 1.0, 1.0), 1)


def test_what_was_said_is_taken_back_and_said_again(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    first = tell(client, item, "German").json()["item"]
    tell(client, first, "French")
    undone = change(client, queue, "undo")
    assert (undone["answers"], undone["answered"]["id"]) == (["German"], first["answered"]["id"])
    assert fits(undone)["official_language"] == (1, 1.0, 1.0)
    undone = change(client, queue, "undo")
    assert (undone["answers"], undone["answered"], list(fits(undone))) == (
        ["Berlin"],
        None,
        ["capital", "borders"],
    )
    assert undone["shown"] != item["shown"], "the fit of the given paths is measured anew"
    done = change(client, queue, "redo")
    assert (done["answers"], done["answered"]["id"]) == (["German"], first["answered"]["id"])
    kinds = Submission.objects.order_by("at").values_list("kind", flat=True)
    assert list(kinds) == ["answered", "answered", "undone", "undone", "redone"]


def test_a_judged_path_stays_when_the_answers_change(api, make):
    client, queue = api("analyst"), make(overlap=2)
    item = after(client, queue)
    told = tell(client, item, "German").json()["item"]
    assert send(client, told, "unsure", "unsure", "rational").status_code == 200
    now = client.get(f"{ITEMS}/{item['id']}").json()
    now = tell(client, now, "Berlin").json()["item"]
    assert "official_language" in fits(now)


def test_of_two_who_say_it_at_once_the_second_looks_first(api, ann, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    id = str(uuid.uuid4())
    for _ in range(2):  # the second is a repeat
        assert tell(client, item, "German", id=id).status_code == 200
    late = tell(ann, item, "French")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "answers_changed")
    assert Submission.objects.count() == 1
    unknown = tell(ann, item, "Atlantis")
    assert unknown.json()["error"]["message"] == "The graph has no entity “Atlantis”."
    assert tell(api("viewer"), item, "German").status_code == 403


def test_who_has_the_question_before_them_is_asked_to_look_again(api, ann, make):
    client, queue = api("analyst"), make(overlap=2)
    item = after(client, queue)
    tell(ann, item, "German")
    late = send(client, item, "rational", "unsure")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert late.json()["item"]["answers"] == ["German"]


def test_right_answers_leave_with_the_labels_the_table_and_the_questions(api, make):
    client, queue = api("analyst"), make()
    told = tell(client, after(client, queue), "German").json()["item"]
    send(client, told, "not-rational", "not-rational", "rational")
    Item.objects.filter(key="q3").update(assumed=True)

    def export(format):
        answer = client.get(f"{URL}/{queue.pk}/export", {"format": format})
        return answer["Content-Disposition"], b"".join(answer.streaming_content).decode()

    name, text = export("questions")
    assert name == f'attachment; filename="questions-{queue.pk}.jsonl"'
    assert [json.loads(line) for line in text.splitlines()] == [
        {"id": "q1", "question": "question q1?", "topic_entities": ["Germany"], "answers": ["German"]},
        {
            "id": "q2",
            "question": "question q2?",
            "topic_entities": ["Switzerland"],
            "answers": ["Germany", "France"],
        },
    ]
    last = json.loads(export("jsonl")[1].splitlines()[-1])
    assert (last["path"], last["verdict"], last["answers"], last["answers_by"]) == (
        [["official_language", False]], "accepted", ["German"], "analyst"
    )  # fmt: skip
    header, row = export("csv")[1].splitlines()[:2]
    assert (header.split(",")[-2:], row.split(",")[-2:]) == (["answers", "answers_by"], ["German", "analyst"])
    events = client.get(f"{URL}/{queue.pk}/events", {"format": "csv"})
    assert ",German," in b"".join(events.streaming_content).decode()
    assert client.get(f"{URL}/{queue.pk}/events", {"format": "questions"}).status_code == 400
