"""Verdicts from files: what can be used goes in once, what cannot is told by its line; all of it can be taken back."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.webapp.review.calls import BORDERS, CAPITAL, ITEMS, URL, after, send
from webapp.accounts.models import User
from webapp.review.domain import consensus, counters
from webapp.review.models import CandidatePath, CurrentAnnotation, Item, Submission, Verdict

LONG = "question_id,topic,path,verdict\n" + "q" * 200_000
LANGUAGE = (("official_language", False),)


def label(question, topic, path, verdict="accepted", **fields):
    row = {"question": question, "topic": topic, "path": path, "source": "analyst", "score": 1.0}
    return {**row, "verdict": verdict, **fields}


def send_file(client, queue, content, *, name="verdicts.jsonl", **fields):
    data = {"file": SimpleUploadedFile(name, content.encode()), **fields}
    return client.post(f"{URL}/{queue.pk}/import", data, format="multipart")


def take(client, queue, *rows, **fields):
    answer = send_file(client, queue, "".join(json.dumps(row) + "\n" for row in rows), **fields)
    assert answer.status_code == 200, answer.content
    return answer.json()


def exported(client, queue, format):
    return b"".join(client.get(f"{URL}/{queue.pk}/export", {"format": format}).streaming_content).decode()


def tallied_right(queue):
    """The tallies say what stands."""
    counted = dict(counters.read(queue.pk))
    anew = sum(
        (counters.count_item(row, consensus.load_item_annotations(row)) for row in queue.rows.all()),
        start=counters.Counter(),
    )
    return counted == dict(anew)


def test_labels_go_in_once(api, make):
    client, queue = api("analyst"), make()
    rows = [
        label("q1", "Germany", CAPITAL, explanation="plainly"),
        label("q1", "Germany", BORDERS, "rejected"),
        label("q2", "Switzerland", BORDERS),
    ]
    found = take(client, queue, *rows)
    assert (found["read"], found["verdicts"], found["added_paths"], found["problems"]) == (3, 3, 0, [])
    said = Item.objects.get(key="q1").submissions.get()
    assert (said.kind, said.analyst_name, said.comment) == ("imported", "analyst", "Imported by analyst.")
    assert [(v.kind, v.comment) for v in said.verdicts.order_by("pk")] == [
        ("rational", "plainly"),
        ("not-rational", ""),
    ]
    assert [row.state for row in queue.rows.all()] == ["done", "done", "open"]
    again = take(client, queue, *rows)
    assert (again["read"], again["verdicts"]) == (3, 0)
    assert (Submission.objects.count(), Verdict.objects.count()) == (2, 3)
    assert tallied_right(queue)


def test_what_is_not_known_is_told_by_line_and_the_rest_goes_in(api, make):
    client, queue = api("analyst"), make()
    content = "\n".join(
        [
            json.dumps(label("q9", "Germany", CAPITAL)),
            json.dumps(label("q1", "Mars", CAPITAL)),
            json.dumps(label("q1", "Germany", [["speaks", False]])),
            json.dumps(label("q1", "Germany", [["capital", True]])),
            "{broken",
            json.dumps({"question": "q1"}),
            json.dumps(label("q1", "Germany", CAPITAL, "perhaps")),
            json.dumps(label("q1", "Germany", CAPITAL, role="first-relation")),
            "",
            json.dumps(label("q1", "Germany", CAPITAL)),
        ]
    )
    found = send_file(client, queue, content).json()
    assert [(one["line"], one["message"]) for one in found["problems"]] == [
        (1, "There is no question q9 in this queue."),
        (2, "The graph has no entity Mars."),
        (3, "The graph has no relation speaks."),
        (4, "Nothing is reached by step 1, capital backward."),
        (
            5,
            "This is not a label: Expecting property name enclosed in double quotes: line 1 column 2 (char 1).",
        ),
        (6, "This line has no topic."),
        (7, "This is not a label: verdict is 'perhaps', neither accepted nor rejected."),
        (8, "This is not a label: only labels of whole paths are judged."),
    ]
    assert (found["read"], found["verdicts"], found["problems_total"]) == (9, 1, 8)
    assert [v.kind for v in Verdict.objects.all()] == ["rational"]


def test_a_path_that_is_missing_is_added(api, make):
    client, queue = api("analyst"), make()
    shown = Item.objects.get(key="q3").shown
    found = take(client, queue, label("q3", "Switzerland", LANGUAGE))
    assert (found["verdicts"], found["added_paths"]) == (1, 1)
    added = Item.objects.get(key="q3").candidates.get()
    assert (added.author, added.reached, added.steps[0]["label"]) == ("analyst", 1, "official language")
    assert Item.objects.get(key="q3").shown != shown
    queue.refresh_from_db()
    assert queue.candidates == 4
    assert set(Submission.objects.values_list("kind", flat=True)) == {"added-path", "imported"}


def test_an_import_is_laid_over_what_one_said(api, make):
    client, queue = api("analyst"), make()
    send(client, after(client, queue), "unsure", "not-rational")
    take(client, queue, label("q1", "Germany", CAPITAL))
    mine = client.get(f"{ITEMS}/{Item.objects.get(key='q1').pk}").json()["mine"]
    assert [verdict["kind"] for verdict in mine["verdicts"]] == ["rational", "not-rational"]
    assert CurrentAnnotation.objects.count() == 1


def test_an_import_is_taken_back_as_a_whole(api, make):
    client, queue = api("analyst"), make()
    send(client, after(client, queue), "unsure", "not-rational")
    found = take(client, queue, label("q1", "Germany", CAPITAL), label("q3", "Switzerland", LANGUAGE))
    back = [client.post(f"{URL}/{queue.pk}/import/undo", {"id": found["undo"]}, format="json").json() for _ in range(2)]
    assert back == [{"undone": 2}, {"undone": 0}]
    mine = client.get(f"{ITEMS}/{Item.objects.get(key='q1').pk}").json()["mine"]
    assert [verdict["kind"] for verdict in mine["verdicts"]] == ["unsure", "not-rational"]
    assert client.get(f"{ITEMS}/{Item.objects.get(key='q3').pk}").json()["candidates"] == []
    assert CandidatePath.objects.get(item__key="q3").retired
    assert Item.objects.get(key="q3").state == "open"
    assert tallied_right(queue)
    none = client.post(f"{URL}/{queue.pk}/redo", {"id": found["undo"]}, format="json")
    assert none.status_code == 409, "it is taken back as a whole, and not brought again one by one"


def test_the_table_of_one_queue_goes_into_another(api, ann, make):
    queue, other, client = make(overlap=2), make(overlap=2), api("analyst")
    first = after(client, queue)
    send(client, first, "rational", "not-rational")
    send(ann, first, "rational", "unsure")
    send(client, after(client, queue), broken=True, reasons=["unclear"])
    User.objects.get(username="ann").delete()
    found = send_file(api("admin"), other, exported(client, queue, "csv"), name="verdicts.csv").json()
    assert (found["read"], found["verdicts"], found["problems"]) == (5, 5, [])
    assert client.get(f"{URL}/{other.pk}/statistics").json()["pairs"][0]["analysts"] == ["analyst", "ann"]
    assert exported(client, other, "jsonl") == exported(client, queue, "jsonl")
    again = send_file(api("admin"), other, exported(client, other, "csv"), name="verdicts.csv").json()
    assert (again["read"], again["verdicts"]) == (5, 0)
    assert tallied_right(other)


def test_an_export_of_ones_own_verdicts_adds_nothing(api, make):
    client, queue = api("analyst"), make()
    send(client, after(client, queue), "rational", "not-rational")
    for format in ("jsonl", "csv"):
        found = send_file(client, queue, exported(client, queue, format), name=f"own.{format}").json()
        assert (found["read"], found["verdicts"], found["problems"]) == (2, 0, [])


def test_verdicts_of_others_are_an_administrators(api, ann, make):
    queue = make()
    rows = [label("q1", "Germany", CAPITAL)]
    answer = send_file(ann, queue, json.dumps(rows[0]), **{"as": "analyst"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert take(api("admin"), queue, *rows, **{"as": "analyst"})["verdicts"] == 1
    assert CurrentAnnotation.objects.get().analyst.username == "analyst"
    unknown = send_file(api("admin"), queue, json.dumps(rows[0]), **{"as": "nobody"})
    assert unknown.json()["error"]["message"] == "There is no user nobody."
    undo = Submission.objects.get().batch
    back = ann.post(f"{URL}/{queue.pk}/import/undo", {"id": undo}, format="json")
    assert (back.status_code, CurrentAnnotation.objects.count()) == (403, 1)


def test_what_was_decided_takes_no_import(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    body = {"id": "0" * 32, "version": 0, "broken": True}
    assert client.post(f"{ITEMS}/{item['id']}/adjudicate", body, format="json").status_code == 200
    found = take(client, queue, label("q1", "Germany", CAPITAL))
    assert [one["message"] for one in found["problems"]] == ["The question q1 was decided and takes no more verdicts."]
    assert CurrentAnnotation.objects.count() == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "x.csv is a table without question_id, topic, path, verdict."),
        ("", "x.csv is a table without question_id, topic, path, verdict."),
        (
            'question_id,topic,path,verdict\n"' + "q" * 60_000 + "\n" + "q" * 60_000 + "\n" + "q" * 60_000,
            "x.csv is not a table: field larger than field limit (131072).",
        ),
    ],
)
def test_what_is_no_file_of_verdicts(api, make, content, message):
    answer = send_file(api("analyst"), make(), content, name="x.csv")
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, message)


@pytest.mark.parametrize("begin", ["question_id,topic,path,verdict\n", '{"question": "'])
def test_a_line_that_is_too_long_is_not_read(api, make, begin):
    answer = send_file(api("analyst"), make(), begin + "[" * 200_000, name="x.csv")
    line = 1 + begin.count("\n")
    message = f"Line {line} of x.csv has more than 65,536 characters."
    assert (answer.status_code, answer.json()["error"]["message"]) == (413, message)


def test_rows_of_a_table_that_are_no_verdicts(api, make):
    content = "question_id,topic,path,verdict,reasons\nq1,Germany,capital,maybe,\nq1,Germany,capital,unsure,magic\n"
    found = send_file(api("analyst"), make(), content, name="x.csv").json()
    assert [(one["line"], one["message"]) for one in found["problems"]] == [
        (2, "This is not a verdict: 'maybe' is none of rational, not-rational, unsure, broken, no-path."),
        (
            3,
            "This is not a verdict: 'magic' is none of coincidence, wrong-relation, too-wide, too-narrow, detour, "
            "wrong-topic, wrong-answer, unclear.",
        ),
    ]


def test_an_export_brings_back_what_was_judged_without_a_path(api, make):
    client, queue, other = api("analyst"), make(), make()
    send(client, after(client, queue), "rational", "not-rational")
    send(client, after(client, queue), "unsure")
    send(client, after(client, queue), comment="nothing leads there")
    table = exported(client, queue, "csv")
    assert table.count(",no-path,") == 1
    found = send_file(client, other, table, name="verdicts.csv").json()
    assert (found["verdicts"], found["problems"]) == (4, [])
    assert [row.state for row in other.rows.all()] == ["done", "done", "done"]
    again = send_file(client, other, table, name="verdicts.csv").json()
    assert (again["verdicts"], CurrentAnnotation.objects.filter(queue=other).count()) == (0, 3)
    assert tallied_right(other)
