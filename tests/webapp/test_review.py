"""Review queues: prepared, judged by several people at once, counted, exported; nothing lost or doubled."""

import csv
import io
import threading
import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from retrieval.kg import snapshot as kg
from retrieval.kg.table import TripleTable
from retrieval.supervision.verdicts import read_verdicts
from webapp.accounts.models import User
from webapp.experiments import labelling
from webapp.experiments.models import LabelSet
from webapp.graphs import files, services
from webapp.jobs.models import Job
from webapp.review import judging, queues
from webapp.review.models import Item, Queue, Reservation, Standing, Submission, Verdict

URL = "/api/v1/review/queues"
ITEMS = "/api/v1/review/items"
BORDERS, CAPITAL = (("borders", False),), (("capital", False),)
BACK = (("borders", False), ("borders", True))


def source(score, **fields):
    return {
        "source": "answer-set",
        "label_set": 1,
        "name": "One",
        "score": score,
        "explanation": "",
        **fields,
    }


def draft(key, topic, answers, *paths):
    candidates = [
        queues.DraftCandidate(
            topic=topic,
            path=path,
            steps=[{"name": name, "label": name, "inverse": inverse} for name, inverse in path],
            sources=[source(score)],
            reached=1,
            hits=1,
            precision=1.0,
            recall=1.0,
        )
        for path, score in paths
    ]
    return queues.DraftItem(key, f"question {key}?", [topic], answers, 0.0, "why", candidates)


DRAFTS = [
    draft("q1", "Germany", ["Berlin"], (CAPITAL, 1.0), (BORDERS, 0.5)),
    draft("q2", "Switzerland", ["Germany", "France"], (BORDERS, 1.0)),
    draft("q3", "=France", ["French"]),
]


@pytest.fixture
def label_set(tiny_graph, question_set, users):
    """A label set that is done."""
    row = labelling.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="answer-set", name="One", user=None
    )
    labelling.save_label_set(label_set=row, questions=2, labels=2)
    row.refresh_from_db()
    return row


@pytest.fixture
def make(tiny_graph, question_set, label_set):
    """``make(overlap=2, drafts=...)`` is a queue that is filled."""

    def made(drafts=DRAFTS, **plan):
        queue = queues.start_queue(
            graph=tiny_graph,
            question_set=question_set,
            label_sets=[label_set],
            plan=queues.Plan(**plan),
            user=None,
        )
        queues.fill(queue=queue, drafts=drafts, simple=True)
        queue.refresh_from_db()
        return queue

    return made


@pytest.fixture
def ann(api, users):
    """A client of a second analyst."""
    users["ann"] = User.objects.create_user("ann", role="analyst")
    return api("ann")


def after(client, queue, *holding):
    answer = client.post(f"{URL}/{queue.pk}/next", {"holding": list(holding)}, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()["item"]


def judgement(item, *kinds, **fields):
    verdicts = [{"candidate": c["id"], "kind": k} for c, k in zip(item["candidates"], kinds, strict=True)]
    known = {"id": str(uuid.uuid4()), "version": item["version"], "shown": item["shown"]}
    return {**known, "verdicts": verdicts, **fields}


def send(client, item, *kinds, **fields):
    return client.post(f"{ITEMS}/{item['id']}/submit", judgement(item, *kinds, **fields), format="json")


def test_a_queue_is_prepared_by_a_job(api, whole, label_set, redis):
    redis.delete("clew:celery:jobs")
    answer = api("analyst").post(URL, {**whole, "overlap": 2}, format="json")
    assert answer.status_code == 202, answer.content
    queue, job = answer.json()["queue"], answer.json()["job"]
    assert (job["kind"], job["title"]) == ("review", "Prepare the review of Tiny questions")
    assert (queue["name"], queue["state"], queue["ordering"], queue["overlap"]) == (
        "Review of Tiny questions",
        "queued",
        "uncertainty",
        2,
    )
    assert queue["label_sets"] == [{"id": label_set.pk, "name": "One"}]
    assert redis.llen("clew:celery:jobs") == 1
    assert api("analyst").post(f"{URL}/{queue['id']}/next", {}, format="json").status_code == 409
    assert api("viewer").get(URL).json()["count"] == 1
    assert api("viewer").post(URL, whole, format="json").status_code == 403
    assert api("viewer").post(f"{URL}/{queue['id']}/next", {}, format="json").status_code == 403
    assert api("analyst").delete(f"{URL}/{queue['id']}").status_code == 204
    assert Job.objects.get(pk=job["id"]).state == "cancelled"


@pytest.fixture
def whole(tiny_graph, question_set, label_set):
    """What to post for a queue."""
    return {"graph": tiny_graph.pk, "question_set": question_set.pk, "label_sets": [label_set.pk]}


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"label_sets": []}, 400, "invalid"),
        ({"label_sets": [10**6]}, 400, "bad_training_data"),
        ({"overlap": 0}, 400, "invalid"),
        ({"ordering": "by taste"}, 400, "invalid"),
        ({"question_set": 10**6}, 404, "not_found"),
    ],
)
def test_what_cannot_be_reviewed(api, whole, fields, status, code):
    answer = api("analyst").post(URL, {**whole, **fields}, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert Queue.objects.count() == 0


def test_labels_of_another_version_are_refused(api, whole):
    LabelSet.objects.update(snapshot_hash="old")
    error = api("analyst").post(URL, whole, format="json").json()["error"]
    assert error["message"] == "The label set One was made on another version of the graph."


def test_judging_goes_from_item_to_item(api, make):
    client, queue = api("analyst"), make()
    first = after(client, queue)
    assert (first["key"], [c["path"] for c in first["candidates"]]) == (
        "q1",
        [[["capital", False]], [["borders", False]]],
    )
    assert after(client, queue)["id"] == first["id"], "who loads the page again has the same question"
    second = after(client, queue, first["id"])
    assert second["key"] == "q2"
    answer = send(client, first, "rational", "not-rational", holding=[second["id"]]).json()
    assert (answer["item"]["state"], answer["next"]["key"]) == ("done", "q3")
    answer = send(client, second, "unsure").json()
    assert answer["next"]["key"] == "q3", "it is held already"
    answer = send(client, answer["next"], broken=True, reasons=["unclear"], comment="no path").json()
    assert (answer["item"]["state"], answer["next"]) == ("broken", None)
    assert api("viewer").get(f"{URL}/{queue.pk}").json()["progress"] == {"open": 0, "done": 2, "broken": 1}
    assert Reservation.objects.count() == 0
    rows = api("viewer").get(f"{URL}/{queue.pk}/items", {"state": "done"}).json()["results"]
    assert [row["key"] for row in rows] == ["q1", "q2"]


def test_a_repeated_submission_adds_nothing(api, make):
    client = api("analyst")
    item = after(client, make())
    said = judgement(item, "rational", "unsure")
    answers = [client.post(f"{ITEMS}/{item['id']}/submit", said, format="json") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].json() == answers[2].json()
    assert (Submission.objects.count(), Verdict.objects.count(), Standing.objects.count()) == (1, 2, 1)
    assert Item.objects.get(pk=item["id"]).version == 1


def test_an_id_belongs_to_one_submission(api, ann, make):
    queue = make()
    first = after(api("analyst"), queue)
    id = str(uuid.uuid4())
    send(api("analyst"), first, "rational", "unsure", id=id)
    answer = send(ann, after(ann, queue), id=id)  # the first has the second before them by now
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    assert Submission.objects.count() == 1


def test_repeats_at_the_same_moment_add_nothing(make, users):
    queue = make()
    item = judging.next_item(queue=queue, user=users["analyst"])
    said = judging.Judgement(
        id=uuid.uuid4(),
        version=0,
        shown=item.shown,
        verdicts=tuple(judging.Said(c.pk, "rational") for c in item.candidates.all()),
    )
    at_once(8, lambda _: judging.submit(item=item, user=users["analyst"], judgement=said))
    assert (Submission.objects.count(), Verdict.objects.count()) == (1, 2)
    assert (Item.objects.get(pk=item.pk).version, Item.objects.get(pk=item.pk).submitted) == (1, 1)


def at_once(number, act):
    """Do it in so many threads that begin together; what each returned."""
    barrier, results = threading.Barrier(number), [None] * number

    def run(i):
        try:
            barrier.wait()
            results[i] = act(i)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("overlap", [1, 2])
def test_analysts_at_once_never_get_more_than_the_overlap(make, overlap):
    people = [User.objects.create_user(f"p{i}", role="analyst") for i in range(6)]
    queue = make([draft(f"q{i}", "Germany", ["Berlin"], (CAPITAL, 1.0)) for i in range(6)], overlap=overlap)
    got = at_once(6, lambda i: judging.next_item(queue=queue, user=people[i]))
    taken = sorted(item.position for item in got)
    assert max(taken.count(position) for position in taken) <= overlap
    assert Reservation.objects.count() == 6


def test_two_analysts_share_a_queue_and_a_reservation_ends(api, ann, make):
    queue = make()
    first, other = after(api("analyst"), queue), after(ann, queue)
    assert (first["key"], other["key"]) == ("q1", "q2")
    assert after(ann, queue, other["id"])["key"] == "q3"
    assert after(ann, queue, *Item.objects.values_list("pk", flat=True)[1:]) is None
    Reservation.objects.filter(item=first["id"]).update(until=timezone.now() - timedelta(seconds=1))
    assert after(ann, queue, *Item.objects.values_list("pk", flat=True)[1:])["key"] == "q1"


def test_a_released_item_is_free_at_once(api, ann, make):
    queue = make()
    first = after(api("analyst"), queue)
    assert api("analyst").post(f"{ITEMS}/{first['id']}/release").status_code == 204
    assert after(ann, queue)["key"] == "q1"


def test_nobody_overwrites_what_came_between(api, ann, make):
    queue = make()
    mine = after(api("analyst"), queue)
    Reservation.objects.all().delete()
    send(ann, after(ann, queue), "rational", "rational")
    answer = send(api("analyst"), mine, "not-rational", "unsure")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "judged_meanwhile")
    assert [(one["analyst"], [v["kind"] for v in one["verdicts"]]) for one in answer.json()["theirs"]] == [
        ("ann", ["rational", "rational"])
    ]
    assert [v["kind"] for v in answer.json()["yours"]["verdicts"]] == ["not-rational", "unsure"]
    assert Submission.objects.count() == 1
    now = answer.json()["item"]
    assert send(api("analyst"), now, "not-rational", "unsure").status_code == 200, "as one more opinion"
    assert Item.objects.get(pk=mine["id"]).submitted == 2


def test_overlapping_analysts_do_not_disturb_each_other(api, ann, make):
    queue = make(overlap=2)
    one, other = after(api("analyst"), queue), after(ann, queue)
    assert one["id"] == other["id"]
    assert send(ann, other, "rational", "rational").json()["item"]["state"] == "open"
    assert api("analyst").get(f"{ITEMS}/{one['id']}").json()["mine"] is None, "what others said is not shown"
    assert send(api("analyst"), one, "rational", "unsure").json()["item"]["state"] == "done"


@pytest.mark.parametrize("change", ["missing", "twice", "of another item", "broken and judged"])
def test_verdicts_must_be_those_of_the_paths(api, make, change):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    said = judgement(item, "rational", "unsure")
    if change == "missing":
        said["verdicts"].pop()
    elif change == "twice":
        said["verdicts"][1] = said["verdicts"][0]
    elif change == "of another item":
        said["verdicts"][1]["candidate"] = after(client, queue, item["id"])["candidates"][0]["id"]
    else:
        said["broken"] = True
    answer = client.post(f"{ITEMS}/{item['id']}/submit", said, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert Submission.objects.count() == 0


def test_what_was_not_shown_cannot_be_judged(api, make):
    client = api("analyst")
    answer = send(client, after(client, make()), "rational", "unsure", shown="0" * 64)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")


def test_a_changed_mind_replaces_and_undo_brings_back(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    send(client, item, "rational", "unsure")
    item = client.get(f"{ITEMS}/{item['id']}").json()
    assert [v["kind"] for v in item["mine"]["verdicts"]] == ["rational", "unsure"]
    assert send(client, item, "not-rational", "unsure").status_code == 200
    stale = send(client, item, "rational", "rational")
    assert stale.json()["error"]["code"] == "judged_meanwhile"
    id = str(uuid.uuid4())
    for _ in range(2):  # the second is a repeat
        undone = client.post(f"{URL}/{queue.pk}/undo", {"id": id}, format="json").json()["item"]
        assert [v["kind"] for v in undone["mine"]["verdicts"]] == ["rational", "unsure"]
    undone = client.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json").json()["item"]
    assert (undone["mine"], undone["state"], undone["submitted"]) == (None, "open", 0)
    answer = client.post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json")
    assert answer.status_code == 409
    assert (Submission.objects.count(), Verdict.objects.count()) == (4, 4), "history stays"
    assert after(client, queue)["id"] == item["id"]


def test_only_ones_own_is_taken_back(api, ann, make):
    queue = make()
    send(ann, after(ann, queue), "rational", "unsure")
    answer = api("analyst").post(f"{URL}/{queue.pk}/undo", {"id": str(uuid.uuid4())}, format="json")
    assert (answer.status_code, Standing.objects.count()) == (409, 1)


def test_the_database_refuses_to_change_a_verdict(api, make):
    client = api("analyst")
    send(client, after(client, make()), "rational", "unsure")
    with pytest.raises(DatabaseError, match="never changed"):
        Verdict.objects.update(kind="unsure")


def test_figures_of_a_queue(api, ann, make):
    queue = make(overlap=2)
    for client, kinds in (
        (api("analyst"), (("rational", "unsure"), ("rational",))),
        (ann, (("rational", "not-rational"), ("rational",))),
    ):
        for said in kinds:
            assert send(client, after(client, queue), *said).status_code == 200
    shown = api("viewer").get(f"{URL}/{queue.pk}/statistics").json()
    assert shown["progress"] == {"open": 1, "done": 2, "broken": 0}
    assert [(one["analyst"], one["judged"]) for one in shown["people"]] == [("analyst", 2), ("ann", 2)]
    assert (shown["agreement"]["paths"], shown["agreement"]["percent"]) == (3, pytest.approx(2 / 3))
    # Six values, four of them rational: 1 - 5 * 2 / (36 - 16 - 1 - 1).
    assert shown["agreement"]["alpha"] == pytest.approx(4 / 9)
    # By chance 2/3 * 2/3 agree.
    assert shown["pairs"] == [
        {
            "analysts": ["analyst", "ann"],
            "paths": 3,
            "percent": pytest.approx(2 / 3),
            "kappa": pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9)),
        }
    ]


def test_figures_before_anybody_judged(api, make):
    shown = api("viewer").get(f"{URL}/{make().pk}/statistics").json()
    assert (shown["people"], shown["pairs"]) == ([], [])
    assert shown["agreement"] == {"paths": 0, "percent": None, "alpha": None}


def test_an_analyst_who_leaves_takes_no_verdict_along(api, ann, make):
    queue = make()
    send(ann, after(ann, queue), "rational", "unsure")
    held = after(ann, queue)
    User.objects.get(username="ann").delete()
    shown = api("viewer").get(f"{URL}/{queue.pk}/statistics").json()
    assert [(one["analyst"], one["judged"]) for one in shown["people"]] == [("ann", 1)]
    assert after(api("analyst"), queue)["id"] == held["id"]


def test_the_export_is_a_label_file(api, ann, make, tmp_path):
    queue = make(overlap=2)
    client = api("analyst")
    send(client, after(client, queue), "rational", "not-rational")
    send(ann, after(ann, queue), "rational", "unsure")
    send(client, after(client, queue), "not-rational")
    third = after(client, queue)
    send(client, third, broken=True)
    text = b"".join(client.get(f"{URL}/{queue.pk}/export").streaming_content)
    (tmp_path / "labels.jsonl").write_bytes(text)
    found = read_verdicts(tmp_path / "labels.jsonl").labels
    assert [(x.question, x.topic, x.path, x.source, x.verdict, x.explanation) for x in found] == [
        ("q1", "Germany", CAPITAL, "analyst", "accepted", "2 of 2 analysts."),
        ("q2", "Switzerland", BORDERS, "analyst", "rejected", "1 of 1 analysts."),
    ], "nobody decided about the other path of q1"


def test_the_table_holds_every_verdict_and_no_formula(api, make):
    client, queue = api("analyst"), make()
    item = after(client, queue)
    said = judgement(item, "rational", "not-rational", comment='=HYPERLINK("http://x")')
    said["verdicts"][1] |= {"reasons": ["coincidence", "detour"], "comment": "+1"}
    client.post(f"{ITEMS}/{item['id']}/submit", said, format="json")
    answer = client.get(f"{URL}/{queue.pk}/export", {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["question_id"], row["path"], row["verdict"], row["reasons"]) for row in rows] == [
        ("q1", "capital", "rational", ""),
        ("q1", "borders", "not-rational", "coincidence; detour"),
    ]
    assert (rows[0]["question_comment"], rows[1]["comment"]) == ('\'=HYPERLINK("http://x")', "'+1")
    assert client.get(f"{URL}/{queue.pk}/export", {"format": "xlsx"}).status_code == 400


def test_the_drawing_of_an_item(api, make):
    client, queue = api("analyst"), make([draft("q2", "Switzerland", ["Germany", "Berlin"], (BORDERS, 1.0))])
    item = after(client, queue)
    (drawn,) = client.get(f"{ITEMS}/{item['id']}/drawing").json()
    walked = [(h["source"]["label"], h["step"]["name"], h["target"]["label"]) for h in drawn["hops"]]
    assert sorted(walked) == [("Switzerland", "borders", "France"), ("Switzerland", "borders", "Germany")]
    names = {kind: [node["label"] for node in drawn[kind]] for kind in ("hit", "extra", "missed")}
    assert names == {"hit": ["Germany"], "extra": ["France"], "missed": ["Berlin"]}


def test_a_queue_stays_on_its_version_of_the_graph(api, make, tiny_graph):
    queue = make([draft("q2", "Switzerland", ["Germany"], (BORDERS, 1.0))])
    built = kg.build(
        TripleTable.of([("A", "r", "B")]), files.local_path(files.snapshot_name(tiny_graph.pk, 2))
    )
    services.imported(graph=tiny_graph, version=2, manifest=built.manifest)
    shown = api("analyst").get(f"{URL}/{queue.pk}").json()
    assert (shown["current"], shown["version"]) == (False, 1)
    item = after(api("analyst"), queue)
    (drawn,) = api("analyst").get(f"{ITEMS}/{item['id']}/drawing").json()
    assert len(drawn["hops"]) == 2


def test_a_queue_without_items_ends_at_once(api, make):
    queue = make([])
    assert after(api("analyst"), queue) is None
    assert api("viewer").get(f"{URL}/{queue.pk}/items").json()["results"] == []
