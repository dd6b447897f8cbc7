"""Trajectories for agents: made by a job, shown before and after refinement, learned from."""

import json

import pytest

from retrieval.errors import TrainingDataError
from retrieval.questions.files import QuestionRecord
from retrieval.supervision.trajectories import read_trajectories
from webapp.experiments import services as experiments
from webapp.experiments import trajectories as sets
from webapp.experiments.models import TrajectorySet
from webapp.graphs import files
from webapp.jobs.models import Job
from webapp.questions.services import save_question_set
from worker import training, trajectories


@pytest.fixture
def questions(tiny_graph, users):
    asked = [
        QuestionRecord(
            "q1", "what is spoken around Switzerland?", ("Switzerland",), ("German", "French"), split="train"
        ),
        QuestionRecord("q2", "what is the capital of Germany?", ("Germany",), ("Berlin",), split="dev"),
        QuestionRecord("q3", "what borders Switzerland?", ("Switzerland",), ("Germany", "France"), split="test"),
    ]
    return save_question_set(name="Three", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])


def make(graph, questions, **how):
    return sets.start_synthesis(
        graph=graph, question_set=questions, how=sets.SynthesisRequest(**how), name="", user=None
    )


@pytest.fixture
def made(tiny_graph, questions):
    row = make(tiny_graph, questions, samples=6, astray=0.5, seed=1)
    trajectories.synthesise(row.job_id)
    row.refresh_from_db()
    assert (row.state, row.job.error_message) == ("done", "")
    return row


def stored(row, form):
    return files.ensure_local_path(files.build_trajectories_name(row.graph_id, row.pk, form))


def test_a_question_set_becomes_trajectories_and_their_shortest_forms(made):
    raw, refined = read_trajectories(stored(made, "raw")), read_trajectories(stored(made, "refined"))
    assert made.trajectories == len(raw) == len(refined) > 2
    assert (made.questions, made.answered) == (2, 2)
    assert (made.raw_steps, made.refined_steps) == (
        sum(len(one.actions) for one in raw),
        sum(len(one.actions) for one in refined),
    )
    assert made.refined_steps < made.raw_steps
    assert {one.question_id for one in raw} == {"q1", "q2"}
    assert [one.refined_from for one in refined] == [one.id for one in raw]
    # The guide's own way to the capital: there is nothing to leave out.
    first = next(one for one in raw if one.question_id == "q2")
    assert [action.kind for action in first.actions] == ["explore", "choose", "finish"]


def test_what_refinement_left_is_marked_in_what_was_done(made):
    refined = {one.refined_from: one for one in read_trajectories(stored(made, "refined"))}
    for row in sets.TrajectoryRows(made):
        kept = [row["actions"][position] for position in row["kept"]]
        assert [action["kind"] for action in kept] == [a.kind for a in refined[row["id"]].actions]
    assert len(sets.TrajectoryRows(made, shortened=True)) < made.trajectories


def test_the_last_actions_that_fit_are_the_ones_kept():
    explore, again = {"kind": "explore", "front": 0}, {"kind": "explore", "front": 2}
    choose = [{"kind": "choose", "relations": [[name, False]]} for name in "abc"]
    finish = {"kind": "finish"}
    raw = [explore, choose[0], explore, choose[1], again, choose[2], finish]
    short = [explore, choose[1], {"kind": "explore", "front": 1}, choose[2], finish]
    assert trajectories.find_kept_positions(raw, short) == [2, 3, 4, 5, 6]
    assert trajectories.find_kept_positions(short, short) == [0, 1, 2, 3, 4]


def test_they_are_listed_searched_and_downloaded(api, made):
    client = api("viewer")
    (listed,) = client.get("/api/v1/trajectory-sets", {"graph": made.graph_id}).json()["results"]
    assert (listed["policy"], listed["settings"]["samples"], listed["trajectories"]) == (
        "offline",
        6,
        made.trajectories,
    )
    url = f"/api/v1/trajectory-sets/{made.pk}"
    page = client.get(f"{url}/trajectories", {"q": "CAPITAL", "page_size": 1}).json()
    assert page["count"] == len(sets.TrajectoryRows(made, text="capital")) >= 1
    assert (page["results"][0]["topics"], page["results"][0]["kept"]) == (["Germany"], [0, 1, 2])
    assert client.get(f"{url}/trajectories", {"q": "no such"}).json()["results"] == []
    text = b"".join(client.get(f"{url}/download", {"form": "refined"}).streaming_content).decode()
    assert json.loads(text.splitlines()[0])["refined_from"] is not None
    assert client.get(f"{url}/download", {"form": "cooked"}).status_code == 400
    assert client.delete(url).status_code == 403
    assert api().delete(url).status_code == 204
    assert not stored(made, "raw").exists()


def test_they_are_started_by_an_analyst(api, tiny_graph, questions):
    body = {"graph": tiny_graph.pk, "question_set": questions.pk}
    assert api("viewer").post("/api/v1/trajectory-sets", body, format="json").status_code == 403
    answer = api("analyst").post("/api/v1/trajectory-sets", body, format="json")
    assert (answer.status_code, answer.json()["job"]["kind"]) == (202, "synthesise")
    key = answer.json()["trajectory_set"]["id"]
    waits = api("viewer").get(f"/api/v1/trajectory-sets/{key}/trajectories")
    assert (waits.status_code, waits.json()["error"]["code"]) == (409, "conflict")
    for wrong, code in (({"policy": "oracle"}, "bad_config"), ({"policy": "llm"}, "llm_not_configured")):
        refused = api("analyst").post("/api/v1/trajectory-sets", {**body, **wrong}, format="json")
        assert refused.json()["error"]["code"] == code


def test_a_set_deleted_in_the_middle_leaves_nothing(tiny_graph, questions, monkeypatch):
    row = make(tiny_graph, questions)
    monkeypatch.setattr(sets, "save_trajectories", lambda **made: TrajectorySet.objects.all().delete() and False)
    trajectories.synthesise(row.job_id)
    assert Job.objects.get().state == "cancelled"
    assert not stored(row, "pairs").exists()


def test_an_agent_learns_from_them(tiny_graph, questions, made, monkeypatch):
    import retrieval.train

    learned = []

    def fit(method, *args, trajectories, out, **more):
        learned.extend(read_trajectories(trajectories))
        raise TrainingDataError("far enough")

    monkeypatch.setattr(retrieval.train, "train", fit)
    job = experiments.start_training(
        graph=tiny_graph,
        question_set=questions,
        training=experiments.Training("graph-s3", trajectories=made),
        user=None,
    )
    training.train(job.pk)
    assert [one.id for one in learned] == [one.id for one in read_trajectories(stored(made, "raw"))]
    with pytest.raises(TrainingDataError, match="does not learn from trajectories"):
        experiments.start_training(
            graph=tiny_graph,
            question_set=questions,
            training=experiments.Training("rapl", trajectories=made),
            user=None,
        )


def test_the_curves_of_a_checkpoint_are_read(api, checkpoint):
    from webapp.experiments.models import Checkpoint

    key = checkpoint().pk
    row = Checkpoint.objects.get(pk=key)
    assert api("viewer").get(f"/api/v1/checkpoints/{key}/curves").json() == []
    folder = files.ensure_local_path(row.path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "curves.json").write_text('[{"stage": "sft", "loss": 0.5}]')
    assert api("viewer").get(f"/api/v1/checkpoints/{key}/curves").json() == [{"stage": "sft", "loss": 0.5}]
