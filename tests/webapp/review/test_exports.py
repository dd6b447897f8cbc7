"""What was decided, as labels and as a table."""

import csv
import io
import json
import zipfile

from retrieval.supervision.verdicts import read_verdicts
from tests.webapp.review.calls import BORDERS, CAPITAL, ITEMS, URL, after, judgement, send


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


def test_the_dataset_holds_questions_and_labels_without_names(api, make):
    client, queue = api("analyst"), make()
    send(client, after(client, queue), "rational", "not-rational")
    answer = client.get(f"{URL}/{queue.pk}/dataset")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as file:
        assert {"README.md", "croissant.json", "questions/train.jsonl"} < set(file.namelist())
        labels = file.read("labels/train.jsonl").decode()
    rows = [json.loads(line) for line in labels.splitlines()]
    assert [(row["question_id"], row["path"], row["verdict"], row["rational"]) for row in rows] == [
        ("q1", ["capital"], "accepted", 1),
        ("q1", ["borders"], "rejected", 0),
    ]
    assert "analyst" not in labels.replace('"source": "analyst"', "")
