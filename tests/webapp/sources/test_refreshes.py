"""A source is read again: what changed becomes the next version, and what did not is left."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from retrieval.kg.readers.options import ReadOptions
from webapp.graph_tests import services as graph_tests
from webapp.graph_tests.models import TestRound as Round
from webapp.graphs import versions
from webapp.graphs.models import Graph, GraphVersion, Mode
from webapp.graphs.services import purge_graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobState
from webapp.sources import outcomes
from webapp.sources.models import GraphSource, Refresh
from worker import graph_tests as testing
from worker import imports

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def summarise(made):
    version = made.version.version if made.version else None
    return made.outcome, version, made.error_code, made.error_message


def diff(graph, old, new):
    rows = {row.version: row for row in graph.snapshots.all()}
    changes = versions.compare_versions(rows[old], rows[new])
    return changes["added_sample"], changes["removed_sample"]


@pytest.fixture
def cities(source, web):
    """The graph has a source: a file of two cities."""
    made = source(kind="files", addresses=[f"http://{web.host}/cities.csv"])
    assert made.status_code == 201, made.content
    return web


def test_a_file_is_read_again_only_where_it_has_changed(refresh, cities, owned_graph):
    first = refresh()
    assert (*summarise(first)[:2], first.before, first.after) == ("changed", 2, 6, 6)
    cities.requests.clear()
    assert summarise(refresh()) == ("unchanged", None, "", "")
    assert cities.requests == ["HEAD /cities.csv"]
    cities.files["/cities.csv"] += b"Oslo,Norway\n"
    assert summarise(refresh())[:2] == ("changed", 3)
    added, removed = diff(owned_graph, 2, 3)
    assert ("Oslo", "country", "Norway") in [tuple(fact) for fact in added]
    assert list(removed) == []
    owned_graph.refresh_from_db()
    assert owned_graph.snapshot.version == 3
    assert owned_graph.snapshot.note == "Refreshed from its source."
    row = GraphSource.objects.get()
    assert (row.failures, row.changed_at, row.read_version) == (0, NOW, 3)


def test_content_without_validators_is_compared_by_its_hash(refresh, source, work, allow, tmp_path):
    path = tmp_path / "cities.csv"
    path.write_bytes(b"city,country\nParis,France\nBonn,Germany\n")
    allow(paths=[tmp_path])
    assert source(kind="files", addresses=[str(path)]).status_code == 201
    assert refresh().outcome == "changed"
    path.touch()  # another time, the same content
    assert refresh().outcome == "unchanged"
    path.write_bytes(b"city,country\nParis,France\nRome,Italy\n")
    assert refresh().outcome == "changed"


def test_a_source_is_imported_again_after_others_replaced_the_content(refresh, cities, owned_graph, users, tiny_file):
    refresh()
    change = versions.VersionChange(Mode.REPLACE, ReadOptions())
    file = ContentFile(tiny_file.read_bytes(), name="tiny.tsv")
    imports.import_graph(versions.start(graph=owned_graph, change=change, files=[file], user=users["admin"]).pk)
    assert summarise(refresh())[:2] == ("changed", 4)


def test_the_data_model_of_the_current_version_is_kept(refresh, cities, owned_graph, api, work):
    refresh()
    model = {"kinds": [{"table": "cities.csv", "label": "town", "columns": [{"name": "country", "is_ignored": True}]}]}
    body = {"mode": Mode.REPLACE.value, "sources": [f"http://{cities.host}/cities.csv"], "model": model}
    answer = api("analyst").post(f"/api/v1/graphs/{owned_graph.pk}/versions", body, format="json")
    assert answer.status_code == 202, answer.content
    work()
    cities.files["/cities.csv"] += b"Oslo,Norway\n"
    check = api("analyst").post(f"/api/v1/graphs/{owned_graph.pk}/source/check")
    assert check.json()["keeps_model"] is True
    assert summarise(refresh())[:2] == ("changed", 4)
    added, _ = diff(owned_graph, 3, 4)
    assert [tuple(fact) for fact in added] == [("Oslo", "row in table", "3"), ("Oslo", "type", "town")]


def test_a_model_that_was_changed_without_an_upload_is_kept_too(refresh, cities, owned_graph, api, work):
    refresh()
    changes = {"kinds": [{"table": "cities.csv", "label": "town"}]}
    answer = api("analyst").post(f"/api/v1/graphs/{owned_graph.pk}/model", {"model": changes}, format="json")
    assert answer.status_code == 202, answer.content
    assert work().state == JobState.DONE
    assert refresh().outcome == "unchanged"
    cities.files["/cities.csv"] += b"Oslo,Norway\n"
    assert summarise(refresh())[:2] == ("changed", 4)
    added, removed = diff(owned_graph, 3, 4)
    assert (["Oslo", "type", "town"] in [list(fact) for fact in added], list(removed)) == (True, [])


def test_tests_are_asked_before_a_refreshed_version_becomes_current(refresh, source, cities, owned_graph, users):
    refresh()
    new = graph_tests.NewTest("What is the country of Rome?", ["Italy"])
    graph_tests.add(graph=owned_graph, tests=[new], user=users["analyst"])
    graph_tests.set_hold(graph=owned_graph, hold=True)
    cities.files["/cities.csv"] = cities.files["/cities.csv"].replace(b"Rome,Italy", b"Rome,Latium")
    made = refresh()
    assert (made.outcome, made.version.version) == ("", 3)  # its tests go on
    assert source("/refresh").json()["error"]["code"] == "conflict"
    round = Round.objects.get()
    testing.test_graph(round.job_id)
    outcomes.look_after_refreshes(NOW)
    made.refresh_from_db()
    owned_graph.refresh_from_db()
    assert (made.outcome, owned_graph.snapshot.version) == ("held", 2)


SHAPES = b"""@prefix : <http://x/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:BoatShape a sh:NodeShape ; sh:targetClass :Boat ; sh:property [ sh:path :home ; sh:minCount 1 ] .
"""
BOATS = b"@prefix : <http://x/> . :Alder a :Boat ; :home :Oslo . :Birch a :Boat ; :home :Bergen .\n"


def test_a_version_that_breaks_its_shapes_is_held_back(refresh, source, web, owned_graph):
    web.files.update({"/boats.ttl": BOATS, "/shapes.ttl": SHAPES})
    source(kind="files", addresses=[f"http://{web.host}/{name}.ttl" for name in ("boats", "shapes")])
    assert summarise(refresh())[:2] == ("changed", 2)
    web.files["/boats.ttl"] = BOATS + b":Cedar a :Boat .\n"
    assert summarise(refresh())[:2] == ("held", 3)
    assert source("", "get").json()["refreshes"][0]["violations"] == 1
    owned_graph.refresh_from_db()
    assert owned_graph.snapshot.version == 2


def test_a_source_that_lost_most_of_its_content_waits_for_a_person(refresh, source, cities, owned_graph):
    rows = b"".join(b"City%d,Country%d\n" % (number, number) for number in range(20))
    cities.files["/cities.csv"] = b"city,country\n" + rows
    refresh()
    cities.files["/cities.csv"] = b"city,country\nParis,France\n"
    made = refresh()
    owned_graph.refresh_from_db()
    assert (made.outcome, made.version.version, owned_graph.snapshot.version) == ("shrunk", 3, 2)
    assert (made.before, made.after) == (60, 2)
    assert refresh().outcome == "unchanged"  # it waits still, and is not imported again
    state = source(f"/refreshes/{made.pk}/confirm")
    assert state.status_code == 200, state.content
    outcomes.look_after_refreshes(NOW)
    made.refresh_from_db()
    owned_graph.refresh_from_db()
    assert (made.outcome, owned_graph.snapshot.version) == ("changed", 3)
    assert source(f"/refreshes/{made.pk}/confirm").status_code == 404


def test_rows_of_a_database_become_facts(refresh, source, database, sql, owned_graph):
    query = "SELECT title, director, released, seen, tags FROM films ORDER BY length(title);"
    made = source(kind="postgresql", addresses=[database], query=query, file_name="films.csv").json()["source"]
    assert "pass" not in str(made["addresses"])
    assert made["has_password"] is True
    assert "pass" not in str(GraphSource.objects.values().get()["addresses"])
    assert "pass word" not in GraphSource.objects.get().encrypted_password
    assert source("/check").json()["sample"].splitlines() == [
        "title · director · released · seen · tags",
        'Low Tide · Gus Holt · 1931-02-03 · true · ["sea"]',
        "The Lantern · Gus Holt ·  · false · ",
    ]
    assert summarise(refresh()) == ("changed", 2, "", "")
    assert refresh().outcome == "unchanged"
    sql("INSERT INTO films VALUES ('The Old Harbour', 'Ida Moe', NULL, true, NULL)")
    assert refresh().outcome == "changed"
    added, removed = diff(owned_graph, 2, 3)
    assert ("The Old Harbour", "director", "Ida Moe") in [tuple(fact) for fact in added]
    assert list(removed) == []


@pytest.fixture
def rows(source, database, sql):
    """What makes a query the source of the graph, and what runs a statement in its database."""
    return partial(_set_query, source, database), sql


def _set_query(source, database, query):
    return source(kind="postgresql", addresses=[database], query=query)


@pytest.mark.parametrize(
    ("query", "code", "words"),
    [
        ("DELETE FROM films RETURNING title", "invalid", "syntax error"),
        ("WITH gone AS (DELETE FROM films RETURNING title) SELECT * FROM gone", "invalid", "DECLARE CURSOR"),
        ("SELECT 1; DELETE FROM films", "invalid", "multiple commands"),
        ("SELECT lo_create(0)", "invalid", "read-only transaction"),
        ("SELECT nothing FROM films", "invalid", "does not exist"),
        ("SELECT title AS a, director AS a FROM films", "invalid", "Several columns are called a"),
        ("SELECT title FROM films WHERE false", "empty_source", "no rows"),
    ],
)
def test_queries_that_write_or_return_nothing_fail_and_leave_everything(rows, refresh, query, code, words):
    source, sql = rows
    assert source(query).status_code == 201
    made = refresh()
    assert (made.outcome, made.error_code, words in made.error_message) == ("failed", code, True), made.error_message
    assert (made.graph.snapshot.version, made.graph.state) == (1, "ready")
    assert sql("SELECT count(*) FROM films").fetchone() == (2,)


def test_the_facts_of_an_endpoint_are_read(refresh, source, capitals, owned_graph):
    query = "CONSTRUCT { ?a ?p ?b } WHERE { ?a ?p ?b }"
    assert source(kind="sparql", addresses=[capitals.url], query=query).status_code == 201
    assert "capital_of" in source("/check").json()["sample"]
    assert summarise(refresh()) == ("changed", 2, "", "")
    assert refresh().outcome == "unchanged"
    capitals.add("@prefix : <http://capitals.test/> . :bern :capital_of :switzerland .")
    assert summarise(refresh()) == ("changed", 3, "", "")
    assert [list(map(list, side)) for side in diff(owned_graph, 2, 3)] == [
        [["bern", "http://capitals.test/capital_of", "switzerland"]],
        [],
    ]
    capitals.broken = ("503 Service Unavailable", b"busy")
    made = refresh()
    assert summarise(made)[:3] == ("failed", None, "endpoint_unavailable")
    assert "answers 503: busy" in made.error_message


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({"kind": "files", "addresses": ["http://elsewhere.test/x.csv"]}, "not_allowed", "CLEW_IMPORT_HOSTS"),
        ({"kind": "files", "addresses": ["/etc/passwd"]}, "not_allowed", "CLEW_IMPORT_PATHS"),
        ({"kind": "sparql", "addresses": ["http://elsewhere.test/sparql"], "query": "x"}, "not_allowed", "HOSTS"),
        ({"kind": "postgresql", "addresses": ["postgresql://db.test/x"], "query": "x"}, "not_allowed", "DATABASES"),
        ({"kind": "postgresql", "addresses": ["postgresql:///x"], "query": "x"}, "not_allowed", "DATABASES"),
        ({"kind": "postgresql", "addresses": ["host=db.test"], "query": "x"}, "invalid", "postgresql://"),
        (
            {"kind": "postgresql", "addresses": ["postgresql://ok.test/x?passfile=/etc/passwd"], "query": "x"},
            "invalid",
            "postgresql://",
        ),
        (
            {"kind": "postgresql", "addresses": ["postgresql://ok.test/x?hostaddr=10.0.0.1"], "query": "x"},
            "invalid",
            "postgresql://",
        ),
        ({"kind": "postgresql", "addresses": ["postgresql://ok.test,b.test/x"], "query": "x"}, "not_allowed", "ok"),
        ({"kind": "postgresql", "addresses": ["postgresql://ok.test/x"]}, "invalid", "Write the query"),
        ({"kind": "sparql", "addresses": ["http://ok.test/sparql"], "query": "SELECT * {?a ?b ?c}"}, "invalid", "CONS"),
        (
            {"kind": "sparql", "addresses": ["http://ok.test/s"], "query": "DELETE WHERE {?a ?b ?c}"},
            "invalid",
            "CONSTRUCT",
        ),
        ({"kind": "files", "addresses": ["http://ok.test/x"], "schedule": "61 * * * *"}, "invalid", "Write minute"),
        ({"kind": "files", "addresses": ["http://ok.test/x"], "schedule": "0 0 31 2 *"}, "invalid", "Write minute"),
        ({"kind": "files", "addresses": ["http://ok.test/x"], "schedule": "daily"}, "invalid", "Write minute"),
    ],
)
def test_what_could_never_be_read_is_refused(source, allow, body, code, words):
    allow(hosts=["ok.test"], databases=["ok.test"])
    answer = source(**body)
    assert (answer.json()["error"]["code"], words in answer.json()["error"]["hint"]) == (code, True), answer.json()
    assert GraphSource.objects.count() == 0


def test_a_graph_has_one_source(source, cities):
    again = source(kind="files", addresses=[f"http://{cities.host}/other.csv"])
    assert (again.status_code, again.json()["error"]["code"]) == (409, "conflict")
    assert source("", "delete").status_code == 204
    assert source("", "get").json() == {"source": None, "refreshes": []}
    assert source("/refresh").json()["error"]["code"] == "invalid"


def test_others_see_how_it_went_but_not_where_it_is(api, owned_graph, cities):
    url = f"/api/v1/graphs/{owned_graph.pk}/source"
    seen = api("viewer").get(url).json()["source"]
    assert (seen["kind"], seen["addresses"], seen["query"]) == ("files", [], "")
    assert api("viewer").post(f"{url}/refresh").status_code == 403
    assert api("viewer").post(f"{url}/check").status_code == 403
    assert api("viewer").delete(url).status_code == 403


def test_a_password_is_not_sent_to_another_server(source, database, allow, servers):
    body = {"kind": "postgresql", "query": "SELECT 1 AS one"}
    assert source(addresses=[database], **body).status_code == 201
    assert source("", "patch", query="SELECT 2 AS two").status_code == 200
    assert source("/check").json()["sample"] == "two\n2"
    allow(databases=[str(servers.layout.postgres_sockets), "other.test"])
    for rest, method in (("", "patch"), ("/check", "post")):
        moved = source(rest, method, addresses=["postgresql://film_reader@other.test/clew"])
        assert moved.json()["error"]["code"] == "key_needed"
    assert source("", "patch", addresses=["postgresql://film_reader:new@other.test/clew"]).status_code == 200


# --- schedules --------------------------------------------------------------------------------------------


@pytest.fixture
def scheduled(source, cities):
    """The source is read every day at six; it was due an hour ago."""
    assert source("", "patch", schedule="0 6 * * *").status_code == 200
    GraphSource.objects.update(next_at=NOW - timedelta(hours=1))
    return cities


def test_what_is_due_is_read_once_however_many_times_were_missed(scheduled, work, owned_graph):
    GraphSource.objects.update(next_at=NOW - timedelta(days=9))
    outcomes.look_after_refreshes(NOW)
    outcomes.look_after_refreshes(NOW)
    assert Job.objects.filter(graph=owned_graph, kind="import").count() == 1
    work()
    outcomes.look_after_refreshes(NOW)
    row = Refresh.objects.get()
    assert (row.cause, row.outcome, row.user) == ("schedule", "changed", None)
    assert GraphSource.objects.get().next_at == datetime(2026, 3, 3, 6, 0, tzinfo=UTC)


def test_a_schedule_waits_while_the_graph_is_changed(scheduled, owned_graph, users):
    going = jobs.create(kind="import", title="Add to Tiny", graph=owned_graph, user=users["admin"])
    outcomes.look_after_refreshes(NOW)
    assert Refresh.objects.count() == 0
    Job.objects.filter(pk=going.pk).update(state=JobState.DONE)
    outcomes.look_after_refreshes(NOW + timedelta(minutes=5))
    assert Refresh.objects.get().started_at == NOW + timedelta(minutes=5)


def test_a_source_that_is_away_is_tried_three_times_more(scheduled, work, owned_graph, source):
    del scheduled.files["/cities.csv"]
    moment, attempts = NOW, []
    for wait in (0, 1, 5, 15):
        moment += timedelta(minutes=wait)
        outcomes.look_after_refreshes(moment - timedelta(seconds=1))
        outcomes.look_after_refreshes(moment)
        work()
        outcomes.look_after_refreshes(moment)
        row = Refresh.objects.get()
        attempts.append((row.attempt, row.outcome, row.retry_at and row.retry_at - moment))
    minutes = [timedelta(minutes=wait) for wait in (1, 5, 15)]
    assert attempts == [(2, "", minutes[0]), (3, "", minutes[1]), (4, "", minutes[2]), (4, "failed", None)]
    shown = source("", "get").json()["source"]
    assert (shown["failures"], shown["error"]["code"], "404" in shown["error"]["message"]) == (1, "bad_source", True)
    owned_graph.refresh_from_db()
    assert owned_graph.snapshot.version == 1


def test_a_source_that_came_back_is_read_at_once_by_hand(scheduled, work, source):
    content = scheduled.files.pop("/cities.csv")
    outcomes.look_after_refreshes(NOW)
    work()
    outcomes.look_after_refreshes(NOW)
    scheduled.files["/cities.csv"] = content
    assert source("/refresh").status_code == 202
    work()
    outcomes.look_after_refreshes(NOW)
    assert [(row.attempt, row.outcome) for row in Refresh.objects.all()] == [(2, "changed")]


def test_a_schedule_pauses_after_five_failures_and_goes_on_when_it_is_saved(scheduled, work, source):
    scheduled.files["/cities.csv"] = b"\x00\x01\x02\x03 not a table"
    for day in range(7):
        moment = NOW + timedelta(days=day)
        outcomes.look_after_refreshes(moment)
        work()
        outcomes.look_after_refreshes(moment)
    shown = source("", "get").json()
    assert (len(shown["refreshes"]), shown["source"]["failures"], shown["source"]["is_paused"]) == (5, 5, True)
    again = source("", "patch", schedule="0 6 * * *").json()["source"]
    assert (again["failures"], again["is_paused"]) == (0, False)


def test_failures_are_mailed_where_mail_is_set_up(scheduled, work, source, settings, mailoutbox):
    settings.EMAIL_HOST = "mail.test"
    source("", "patch", notify="owner@films.test", query="")
    GraphSource.objects.update(next_at=NOW)
    scheduled.files["/cities.csv"] = b"\x00\x01\x02\x03 not a table"
    outcomes.look_after_refreshes(NOW)
    work()
    outcomes.look_after_refreshes(NOW)
    (mail,) = mailoutbox
    assert (mail.to, mail.subject) == (["owner@films.test"], "Clew: Tiny was not refreshed")


def test_a_failure_counts_once_however_many_workers_look(scheduled, work, source):
    scheduled.files["/cities.csv"] = b"\x00\x01\x02\x03 not a table"
    outcomes.look_after_refreshes(NOW)
    work()
    row = Refresh.objects.get()
    with transaction.atomic():
        Refresh.objects.select_for_update().get(pk=row.pk)
        with ThreadPoolExecutor(1) as other:
            other.submit(_look_elsewhere).result()
        assert Refresh.objects.get().outcome == ""
    with ThreadPoolExecutor(3) as others:
        list(others.map(lambda _: _look_elsewhere(), range(3)))
    assert (Refresh.objects.get().outcome, GraphSource.objects.get().failures) == ("failed", 1)


def _look_elsewhere():
    try:
        outcomes.look_after_refreshes(NOW)
    finally:
        connection.close()


# --- the graph, its source or its job change meanwhile -----------------------------------------------------


def test_a_graph_in_the_trash_is_not_refreshed(scheduled, owned_graph):
    Graph.objects.filter(pk=owned_graph.pk).update(deleted_at=NOW)
    outcomes.look_after_refreshes(NOW)
    assert Refresh.objects.count() == 0


def test_a_graph_that_is_deleted_for_good_takes_its_source_along(source, cities, work, owned_graph):
    source("/refresh")
    purge_graph(graph=owned_graph)
    outcomes.look_after_refreshes(NOW)
    assert (GraphSource.objects.count(), Refresh.objects.count()) == (0, 0)


def test_a_source_that_is_deleted_meanwhile_is_not_read(source, cities, work, owned_graph):
    source("/refresh")
    source("", "delete")
    assert work().state == JobState.CANCELLED
    outcomes.look_after_refreshes(NOW)
    assert Refresh.objects.get().outcome == "stopped"
    assert GraphVersion.objects.filter(graph=owned_graph).count() == 1


def test_a_job_that_is_stopped_or_tried_again_counts_for_its_refresh(source, cities, work, api):
    content = cities.files.pop("/cities.csv")
    source("/refresh")
    job = work()
    outcomes.look_after_refreshes(NOW)
    assert Refresh.objects.get().outcome == "failed"
    cities.files["/cities.csv"] = content
    assert api("analyst").post(f"/api/v1/jobs/{job.pk}/retry", {}, format="json").status_code == 202
    assert Refresh.objects.get().outcome == ""
    work()
    outcomes.look_after_refreshes(NOW)
    assert summarise(Refresh.objects.get())[:3] == ("changed", 2, "")
    source("/refresh")
    jobs.cancel_job(job=Job.objects.latest("pk"))
    outcomes.look_after_refreshes(NOW)
    assert Refresh.objects.latest("pk").outcome == "stopped"


def test_the_command_queues_a_refresh(source, cities, work, owned_graph, capsys):
    call_command("refresh_graph", "Tiny")
    assert "refreshes Tiny" in capsys.readouterr().out
    with pytest.raises(CommandError, match="is being changed"):
        call_command("refresh_graph", "Tiny")
    with pytest.raises(CommandError, match="no graph named Nobody"):
        call_command("refresh_graph", "Nobody")
    assert work().state == JobState.DONE
