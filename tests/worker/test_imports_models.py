"""Imports of tables with corrections of their data model."""

from tests.webapp.uploads.test_uploads import complete
from webapp.graphs import snapshots
from webapp.graphs.models import Graph
from webapp.jobs.models import Job, JobState
from worker import imports

COUNTRIES = b"code,country,population\nFR,France,68\nIT,Italy,59\nDE,Germany,84\n"
CITIES = b"id,city,country code\n1,Paris,FR\n2,Rome,IT\n3,Lyon,FR\n4,Oslo,NO\n"
CHOICES = {
    "kinds": [{"table": "cities.csv", "label": "town"}],
    "references": [
        {
            "table": "cities.csv",
            "column": "country code",
            "target": "countries.csv",
            "target_column": "code",
            "is_used": False,
        }
    ],
}


def send(client):
    """The ids of both files."""
    return [complete(client, COUNTRIES, "countries.csv"), complete(client, CITIES, "cities.csv")]


def run(answer):
    """The job of an import, done."""
    assert answer.status_code == 202, answer.content
    content = answer.json()
    job = Job.objects.get(pk=content.get("job", content)["id"])
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE, job.error_message
    return job


def list_facts(graph_id, subject):
    """The facts of an entity in the current version."""
    snapshot = snapshots.open_current(Graph.objects.get(pk=graph_id))
    hops = (snapshot.get_hop(fact) for fact in range(snapshot.num_triples))
    return sorted((hop.step.name, hop.target.label) for hop in hops if hop.source.label == subject)


def test_what_a_person_says_of_tables_is_what_is_imported(api):
    client = api()
    made = run(client.post("/api/v1/graphs", {"name": "A", "uploads": send(client)}, format="json"))
    assert list_facts(made.graph_id, "Paris") == [("country", "France"), ("type", "city")]
    body = {"name": "B", "uploads": send(client), "model": CHOICES}
    made = run(client.post("/api/v1/graphs", body, format="json"))
    assert list_facts(made.graph_id, "Paris") == [("country code", "FR"), ("type", "town")]


def test_a_model_that_does_not_fit_the_files_fails_the_import_and_another_one_mends_it(api):
    client = api()
    wrong = {"kinds": [{"table": "cities.csv", "name": ["nothing"]}]}
    answer = client.post("/api/v1/graphs", {"name": "A", "uploads": send(client), "model": wrong}, format="json")
    job = Job.objects.get(pk=answer.json()["job"]["id"])
    imports.import_graph(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_code, job.error_message) == (
        JobState.FAILED,
        "bad_config",
        "The data model names the column 'nothing', which cities.csv does not have.",
    )
    run(client.post(f"/api/v1/jobs/{job.pk}/retry", {"model": CHOICES}, format="json"))
    assert list_facts(job.graph_id, "Paris") == [("country code", "FR"), ("type", "town")]
