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


def infer(client, ids, **more):
    """The data model of uploads."""
    answer = client.post("/api/v1/uploads/model", {"uploads": ids, **more}, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def summarize(model):
    """Names and keys of the kinds, and the references that are used."""
    kinds = [(kind["table"], kind["label"], kind["name"], kind["key"], kind["count"]) for kind in model["kinds"]]
    references = [
        tuple(one[name] for name in ("table", "column", "target", "target_column", "matched", "filled"))
        for one in model["references"]
        if one["is_used"]
    ]
    return kinds, references


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


KINDS = [
    ("countries.csv", "country", ["country"], "code", 3),
    ("cities.csv", "city", ["city"], "id", 4),
]
TOWNS = [KINDS[0], ("cities.csv", "town", *KINDS[1][2:])]
REFERENCE = ("cities.csv", "country code", "countries.csv", "code", 3, 4)


def test_the_model_of_files_is_inferred_and_corrected_before_the_import(api):
    client = api("analyst")
    ids = send(client)
    model = infer(client, ids)
    assert summarize(model) == (KINDS, [REFERENCE])
    assert model["references"][0]["unmatched"] == ["NO"]
    assert model["is_sampled"] is False
    corrected = infer(client, ids, model=CHOICES)
    assert summarize(corrected) == (TOWNS, [])
    # The whole answer may be given back.
    assert infer(client, ids, model=model) == model


def test_what_cannot_be_read_has_a_model_that_says_why(api):
    client = api("analyst")
    id = complete(client, b"\x89PNG\r\n\x1a\n....", "x.png")
    model = infer(client, [id])
    assert (model["kinds"], model["references"]) == ([], [])
    assert [(one["table"], one["rows"]) for one in model["warnings"]] == [("x.png", [])]
    assert "x.png" in model["warnings"][0]["message"]


def test_the_model_of_a_version_is_kept_and_proposed_for_the_next(api):
    client = api()
    towns = {"kinds": CHOICES["kinds"]}
    body = {"name": "A", "uploads": send(client), "model": towns}
    job = run(client.post("/api/v1/graphs", body, format="json"))
    kept = client.get(f"/api/v1/graphs/{job.graph_id}/model").json()
    assert summarize(kept) == (TOWNS, [REFERENCE])
    ids = send(client)
    assert summarize(infer(client, ids)) == (KINDS, [REFERENCE])
    assert infer(client, ids, graph=job.graph_id) == kept
    # What the request says goes before what an earlier one said.
    unused = infer(client, ids, graph=job.graph_id, model={"references": CHOICES["references"]})
    assert summarize(unused) == (TOWNS, [])


def test_a_kept_model_that_does_not_fit_is_left_out_and_said(api):
    client = api()
    body = {"name": "A", "uploads": send(client), "model": CHOICES}
    job = run(client.post("/api/v1/graphs", body, format="json"))
    other = complete(client, b"id,town\n1,Paris\n2,Rome\n", "cities.csv")
    model = infer(client, [other], graph=job.graph_id)
    assert [kind["label"] for kind in model["kinds"]] == ["city"]
    assert model["warnings"][0]["message"] == (
        "The model of the current version does not fit these files, and is not used: "
        "The data model names the column 'city', which cities.csv does not have."
    )
