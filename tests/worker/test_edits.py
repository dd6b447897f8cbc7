"""Edits of a graph over HTTP: made by a worker, undone, and applied again after a refresh."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webapp.edits.models import GraphEdit
from webapp.graphs import services, snapshots, versions
from webapp.graphs.models import Graph, Mode
from webapp.jobs.models import Job, JobState
from worker import imports

FIRST = b"IBM\tin\tArmonk\nIBM Corp\tfounded\t1911\nAnn\tworks at\tIBM Corp\nIBM\towns\tIBM Corp\n"
FACTS = {("IBM", "in", "Armonk"), ("IBM Corp", "founded", "1911"), ("Ann", "works at", "IBM Corp")}
FACTS |= {("IBM", "owns", "IBM Corp")}
MERGED = {("IBM", "in", "Armonk"), ("IBM", "founded", "1911"), ("Ann", "works at", "IBM")}
MERGE = {"op": "merge_entities", "entity": "IBM", "other": "IBM Corp"}
ADD = {"op": "add_fact", "fact": ["Ann", "lives in", "Ulm"]}


def read_facts(graph):
    graph = Graph.objects.get(pk=graph.pk)
    opened = snapshots.open_snapshot(graph.snapshot.path)
    hops = (opened.get_hop(i) for i in range(opened.num_triples))
    return {(hop.source.label, hop.step.name, hop.target.label) for hop in hops}


@pytest.fixture
def graph(users):
    made, job = services.create_graph(
        name="Companies",
        description="",
        visibility="public",
        files=[SimpleUploadedFile("first.tsv", FIRST)],
        options=services.ReadOptions(),
        user=users["analyst"],
    )
    imports.import_graph(job.pk)
    made.refresh_from_db()
    return made


@pytest.fixture
def send(api, graph):
    """``send(rest, body)`` posts below the graph's edits; a job that it makes is run. The answer, and the job."""

    def post(rest, body, *, role="analyst", run=True):
        answer = api(role).post(f"/api/v1/graphs/{graph.pk}/edits{rest}", body, format="json")
        job = Job.objects.get(pk=answer.json()["id"]) if answer.status_code == 202 else None
        if job is not None and run:
            imports.import_graph(job.pk)
            job.refresh_from_db()
            graph.refresh_from_db()
        return answer, job

    return post


def make(send, *operations, **fields):
    return send("", {"edits": [{"operation": operation, **fields} for operation in operations]})


def test_facts_of_an_edit_name_the_person_who_made_it(send, graph, api):
    make(send, ADD, reason="She moved.")
    opened = snapshots.open_snapshot(graph.snapshot.path)
    ann, ulm, ibm = (opened.find_entity(label) for label in ("Ann", "Ulm", "IBM Corp"))
    asked = f"fact={ann}|lives in|{ulm}&fact={ann}|works at|{ibm}"
    located = api("analyst").get(f"/api/v1/graphs/{graph.pk}/facts/sources?{asked}").json()
    edited, imported = (fact["source"] for fact in located)
    assert (edited["type"], edited["edit"], edited["author"]["reason"]) == ("edit", 1, "She moved.")
    assert edited["author"]["person"] == "analyst"
    assert (imported["type"], imported["name"], imported["row"]) == ("file", "first.tsv", 3)


def list_log(api, graph):
    rows = api("viewer").get(f"/api/v1/graphs/{graph.pk}/edits").json()["results"]
    return [(row["number"], row["description"], row["state"], row["version"]) for row in rows]


def refresh(api, graph, content, **fields):
    body = {"mode": "replace", "files": [SimpleUploadedFile("new.tsv", content)], **fields}
    answer = api("analyst").post(f"/api/v1/graphs/{graph.pk}/versions", body, format="multipart")
    job = Job.objects.get(pk=answer.json()["id"])
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    return job


def test_a_merge_makes_a_version_with_note_and_diff_and_is_undone(api, graph, send):
    answer, job = make(send, MERGE, reason="one company", source="annual report")
    assert (answer.status_code, job.state, job.title) == (202, JobState.DONE, "Edit Companies")
    assert read_facts(graph) == MERGED
    version = api("viewer").get(f"/api/v1/graphs/{graph.pk}/versions/2").json()
    assert (version["mode"], version["base"], version["note"], version["created_by"]) == (
        *("edit", 1, "Merge IBM Corp into IBM (one company)", "analyst"),
    )
    diff = api("viewer").get(f"/api/v1/graphs/{graph.pk}/versions/diff?from=1&to=2").json()
    assert (diff["added"], diff["removed"], diff["entities_lost_sample"]) == (2, 3, ["IBM Corp"])
    (row,) = api("viewer").get(f"/api/v1/graphs/{graph.pk}/edits").json()["results"]
    assert (row["reason"], row["source"], row["created_by"], row["state"]) == (
        *("one company", "annual report", "analyst", "current"),
    )
    send("/1/undo", {"reason": "two companies after all"})
    assert read_facts(graph) == FACTS
    assert list_log(api, graph) == [
        (2, "Undo: Merge IBM Corp into IBM", "current", 3),
        (1, "Merge IBM Corp into IBM", "undone", 2),
    ]
    again, _ = send("/1/undo", {})
    assert (again.status_code, again.json()["error"]["message"]) == (409, "Version 3 does not contain edit 1.")


def test_a_batch_makes_one_version_and_fails_as_a_whole(api, graph, send):
    second = {"op": "remove_fact", "fact": ["Ann", "lives in", "Ulm"]}
    answer, _ = make(send, ADD, second, second)
    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == "Edit 3 of 3: The graph does not hold “Ann · lives in · Ulm”."
    assert (GraphEdit.objects.count(), graph.last_version) == (0, 1)
    make(send, ADD, MERGE)
    assert read_facts(graph) == MERGED | {("Ann", "lives in", "Ulm")}
    assert [row[1:] for row in list_log(api, graph)] == [
        ("Merge IBM Corp into IBM", "current", 2),
        ("Add Ann · lives in · Ulm", "current", 2),
    ]


def test_a_preview_says_what_would_change_and_changes_nothing(graph, send):
    answer, _ = send("/preview", {"edits": [{"operation": MERGE}, {"operation": ADD}]})
    merge, add = answer.json()
    assert (merge["description"], merge["removed"], merge["added"]) == ("Merge IBM Corp into IBM", 3, 2)
    assert merge["added_sample"] == [["IBM", "founded", "1911"], ["Ann", "works at", "IBM"]]
    assert (add["new_entities"], add["new_relations"]) == (["Ulm"], ["lives in"])
    assert read_facts(graph) == FACTS


def test_only_who_may_upload_versions_edits(graph, send):
    answer, _ = send("", {"edits": [{"operation": ADD}]}, role="viewer")
    assert answer.status_code == 403
    bad, _ = send("", {"edits": [{"operation": {"op": "add_fact"}}]})
    assert (bad.status_code, bad.json()["error"]["message"]) == (400, "fact is not a fact.")


def test_an_edit_while_the_graph_is_being_changed_is_refused(graph, send):
    send("", {"edits": [{"operation": ADD}]}, run=False)
    answer, _ = make(send, MERGE)
    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == "Companies is being changed: Edit Companies."


def test_an_undo_on_which_a_later_edit_builds_is_refused(api, graph, send):
    make(send, MERGE)
    make(send, {"op": "change_fact", "fact": ["IBM", "founded", "1911"], "replacement": ["IBM", "founded", "1924"]})
    answer, _ = send("/1/undo", {})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "bad_edit")
    assert "“IBM · founded · 1911” is not in the graph as it was recorded." in answer.json()["error"]["message"]
    send("/2/undo", {})
    send("/1/undo", {})
    assert read_facts(graph) == FACTS


def test_edits_are_applied_to_a_refreshed_content_again(api, graph, send):
    make(send, MERGE)
    make(send, ADD, {"op": "remove_fact", "fact": ["IBM", "in", "Armonk"]})
    job = refresh(api, graph, FIRST + b"Ben\tworks at\tIBM Corp\nAnn\tlives in\tUlm\n")
    assert read_facts(graph) == {
        ("IBM", "founded", "1911"),
        ("Ann", "works at", "IBM"),
        ("Ben", "works at", "IBM"),
        ("Ann", "lives in", "Ulm"),
    }
    report = api("viewer").get(f"/api/v1/graphs/{graph.pk}/report").json()
    assert (report["edits_applied"], report["edits_failed"]) == (
        2,
        ["Edit 2 (Add Ann · lives in · Ulm): The graph holds “Ann · lives in · Ulm” already."],
    )
    warning = job.log.get(level="warning").text
    assert warning.startswith("1 of 3 edits could not be applied again: Edit 2 (Add Ann")
    assert [row[2] for row in list_log(api, graph)] == ["current", "dropped", "current"]
    send("/1/undo", {})
    assert ("Ben", "works at", "IBM Corp") in read_facts(graph)


def test_undone_edits_are_not_applied_again_and_a_refresh_may_leave_all_out(api, graph, send):
    make(send, MERGE)
    make(send, ADD)
    send("/1/undo", {})
    refresh(api, graph, FIRST + b"Ben\tknows\tAnn\n")
    more = FACTS | {("Ben", "knows", "Ann")}
    assert read_facts(graph) == more | {("Ann", "lives in", "Ulm")}
    refresh(api, graph, FIRST + b"Ben\tknows\tAnn\n", reapplies_edits=False)
    assert read_facts(graph) == more
    assert [row[2] for row in list_log(api, graph)] == ["current", "absent", "undone"]


def test_edits_stay_in_versions_that_files_add_to_and_return_with_an_earlier_version(api, graph, send, users):
    make(send, ADD)
    job = versions.start(
        graph=graph,
        change=versions.VersionChange(Mode.APPEND, services.ReadOptions()),
        files=[SimpleUploadedFile("more.tsv", b"Ben\tknows\tAnn\n")],
        user=users["analyst"],
    )
    imports.import_graph(job.pk)
    assert list_log(api, graph)[0][2] == "current"
    first = graph.snapshots.get(version=1)
    versions.activate(graph=graph, snapshot=first, user=users["analyst"])
    assert list_log(api, graph)[0][2] == "absent"
    answer, _ = send("/1/undo", {})
    assert answer.json()["error"]["message"] == "Version 1 does not contain edit 1."


def test_suggested_duplicates_are_merged_or_marked_as_not_the_same(api, graph, send, users):
    refresh(api, graph, b"Ann\tlives in\tUlm\nann\tlives in\tUlm\nBen\tlives in\tUlm\nben\tlives in\tUlm\n")
    url = f"/api/v1/graphs/{graph.pk}/duplicates"

    def list_pairs():
        return [(row["first"]["label"], row["second"]["label"]) for row in api("viewer").get(url).json()]

    assert list_pairs() == [("Ann", "ann"), ("Ben", "ben")]
    row = api("viewer").get(url).json()[0]
    assert (row["first"]["degree"], row["score"]) == (1, 0.8)
    assert api("viewer").post(url, {"first": "ann", "second": "Ann"}, format="json").status_code == 403
    assert api("analyst").post(url, {"first": "ann", "second": "Ann"}, format="json").status_code == 204
    assert list_pairs() == [("Ben", "ben")]
    make(send, {"op": "merge_entities", "entity": "Ben", "other": "ben"})
    assert list_pairs() == []


def test_an_edit_that_a_worker_begins_twice_is_applied_once(graph, send):
    _, job = make(send, ADD)
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["unchanged"], graph.last_version) == (JobState.DONE, True, 2)
