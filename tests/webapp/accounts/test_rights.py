"""Who may stop, change and delete what somebody made, and whose runs and jobs people see."""

import pytest
from django.contrib.auth.models import AnonymousUser

from webapp.accounts import rights
from webapp.accounts.models import Role, User
from webapp.answers import services as answers
from webapp.answers.models import AgentCorrection
from webapp.api.errors import ForbiddenError
from webapp.experiments.models import LabelSet, Report, TrajectorySet
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.review.models import Queue


@pytest.fixture
def ann(users):
    """A second analyst, to whom nothing belongs."""
    return User.objects.create_user("ann", password="correct-horse-battery", role="analyst")


def test_what_somebody_made_is_for_them_for_who_owns_the_graph_and_for_administrators(
    tiny_graph, question_set, users, ann
):
    tiny_graph.owner = ann
    tiny_graph.save()
    job = jobs.create(kind=JobKind.INDEX, title="Index", graph=tiny_graph, user=users["analyst"])
    bob = User.objects.create_user("bob", role="analyst")
    for thing in (question_set, job):
        may = {user.username: rights.can_manage(user, thing) for user in [*users.values(), ann, bob]}
        assert may == {"viewer": False, "analyst": True, "admin": True, "ann": True, "bob": False}, thing
        with pytest.raises(ForbiddenError) as caught:
            rights.require_manager(bob, thing)
        assert "somebody else's" in caught.value.message
        assert not rights.can_manage(AnonymousUser(), thing)


def test_a_run_is_for_who_asked_and_for_administrators_only(tiny_graph, users, ann):
    tiny_graph.owner = ann
    tiny_graph.save()
    run = answers.create_run(graph=tiny_graph, ask=answers.Ask("What borders Germany?"), user=users["viewer"])
    may = {user.username: rights.can_manage(user, run) for user in [*users.values(), ann]}
    assert may == {"viewer": True, "analyst": False, "admin": True, "ann": False}


def test_owning_counts_only_for_who_is_there_and_still_may_change_graphs(tiny_graph, question_set, ann):
    tiny_graph.owner = ann
    tiny_graph.save()
    assert rights.can_manage(ann, tiny_graph)
    ann.role = Role.VIEWER
    assert not rights.can_manage(ann, tiny_graph)
    assert not rights.can_manage(ann, question_set)
    ann.role, ann.is_active = Role.ADMIN, False
    assert not rights.can_manage(ann, tiny_graph)
    assert not rights.can_manage(User(), Graph(name="nobody's")), "no owner is not an owner without a number"


def test_a_checkpoint_is_for_who_trained_it(checkpoint, tiny_graph, users, ann):
    job = jobs.create(kind=JobKind.TRAIN, title="Train", graph=tiny_graph, user=ann)
    trained = checkpoint(job=job)
    assert rights.can_manage(ann, trained)
    assert not rights.can_manage(users["analyst"], trained)
    assert not rights.can_manage(ann, checkpoint()), "of one without a job, nobody knows who"


# --- through the API ----------------------------------------------------------------------------------

URL = "/api/v1"


def asked(graph, user, question="What borders Germany?", **more):
    return answers.create_run(graph=graph, ask=answers.Ask(question, **more), user=user)


def refused(answer):
    return (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


def test_nobody_stops_pauses_steers_or_deletes_the_run_of_another(api, tiny_graph, users):
    run = asked(tiny_graph, users["admin"], method="inses")
    url = f"{URL}/runs/{run.pk}"
    for role in ("viewer", "analyst"):
        client = api(role)
        assert refused(client.post(f"{url}/cancel"))
        assert refused(client.post(f"{url}/pause"))
        assert refused(client.post(f"{url}/steer", {"keep": 0}, format="json"))
        assert refused(client.delete(url))
        assert client.get(url).status_code == 200, "by its address it is seen"
    run.refresh_from_db()
    assert run.state == "queued"
    assert api("admin").post(f"{url}/cancel").status_code == 202
    mine = asked(tiny_graph, users["viewer"])
    assert api("viewer").post(f"{URL}/runs/{mine.pk}/cancel").status_code == 202


def listed(client, **query):
    answer = client.get(f"{URL}/runs", query)
    assert answer.status_code == 200
    return {row["question"] for row in answer.json()["results"]}, answer.json()["count"]


def test_people_find_their_own_questions_and_administrators_all_on_request(api, tiny_graph, users):
    asked(tiny_graph, users["viewer"], "What borders France?")
    asked(tiny_graph, users["analyst"], "What borders Germany?")
    assert listed(api("viewer")) == ({"What borders France?"}, 1)
    assert listed(api("analyst"), q="borders") == ({"What borders Germany?"}, 1)
    assert listed(api("admin")) == (set(), 0)
    assert listed(api("admin"), all="true") == ({"What borders France?", "What borders Germany?"}, 2)
    assert refused(api("analyst").get(f"{URL}/runs", {"all": "true"}))


def test_a_comparison_is_shown_whole_to_who_has_its_address(api, tiny_graph):
    body = {"graph": tiny_graph.pk, "question": "What borders Germany?", "methods": [{"method": "inses"}]}
    group = api("analyst").post(f"{URL}/comparisons", body, format="json").json()["id"]
    assert listed(api("viewer"), group=group)[1] == 1
    assert len(api("viewer").get(f"{URL}/comparisons/{group}").json()["runs"]) == 1


def test_another_analyst_cancels_no_job_and_does_none_again(api, tiny_graph, users):
    job = jobs.create(kind=JobKind.EVALUATE, title="Evaluate", graph=tiny_graph, user=users["admin"])
    assert refused(api("analyst").post(f"{URL}/jobs/{job.pk}/cancel"))
    assert api("admin").post(f"{URL}/jobs/{job.pk}/cancel").json()["state"] == "cancelled"
    assert refused(api("analyst").post(f"{URL}/jobs/{job.pk}/retry"))
    assert api("analyst").get(f"{URL}/jobs/{job.pk}").json()["user"] == "admin", "whom to ask"


@pytest.fixture
def experiments(tiny_graph, question_set, checkpoint, users):
    """An analyst's work on a graph that everybody sees; addresses to delete it at."""
    common = {"graph": tiny_graph, "question_set_name": "Q", "created_by": users["analyst"]}
    job = jobs.create(kind=JobKind.TRAIN, title="Train", graph=tiny_graph, user=users["analyst"])
    report = Report.objects.create(
        snapshot_hash="h", split="test", method="inses", reasoner="extractive", budget=5, seed=0, **common
    )
    labels = LabelSet.objects.create(name="L", snapshot_hash="h", strategy="answer-set", **common)
    walks = TrajectorySet.objects.create(name="T", snapshot_hash="h", policy="offline", **common)
    queue = Queue.objects.create(name="R", snapshot=tiny_graph.snapshot, **common)
    return [
        f"{URL}/question-sets/{question_set.pk}",
        f"{URL}/checkpoints/{checkpoint(job=job).pk}",
        f"{URL}/reports/{report.pk}",
        f"{URL}/label-sets/{labels.pk}",
        f"{URL}/trajectory-sets/{walks.pk}",
        f"{URL}/review/queues/{queue.pk}?confirm=R",
    ]


def test_another_analyst_deletes_nothing_of_a_graph_that_is_not_theirs(api, experiments, tiny_graph, ann):
    other = api(None)
    other.force_login(ann)
    for address in experiments:
        assert refused(other.delete(address)), address
        assert other.get(address).status_code == 200, address
    assert refused(other.post(f"{experiments[2]}/resume"))
    tiny_graph.owner = ann
    tiny_graph.save()
    for address in experiments[:3]:
        assert other.delete(address).status_code == 204, address
    for address in experiments[3:]:
        assert api("analyst").delete(address).status_code == 204, address


def test_a_new_graph_is_its_owners_until_it_is_shared(api, tiny_file):
    with tiny_file.open("rb") as file:
        made = api("admin").post(f"{URL}/graphs", {"name": "Mine", "files": file}).json()["graph"]
    with tiny_file.open("rb") as file:
        body = {"name": "Ours", "files": file, "visibility": "public"}
        shared = api("admin").post(f"{URL}/graphs", body).json()["graph"]
    assert (made["visibility"], shared["visibility"]) == ("private", "public")
    assert api("viewer").get(f"{URL}/graphs/{made['id']}").status_code == 404
    assert api("viewer").get(f"{URL}/graphs/{shared['id']}").status_code == 200


def test_viewers_see_corrections_of_their_own_runs_only(api, tiny_graph, users):
    run = asked(tiny_graph, users["analyst"])
    AgentCorrection.objects.create(run=run, step=1, before=[], chosen={"kind": "stop"}, user=users["analyst"])
    assert api("viewer").get(f"{URL}/corrections").json()["count"] == 0
    assert refused(api("viewer").get(f"{URL}/corrections/download", {"graph": tiny_graph.pk}))
