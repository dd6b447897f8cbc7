"""Methods, their settings, and what is refused before a training is queued."""

from datetime import timedelta

import pytest
from django.utils import timezone

from retrieval import config as configs
from retrieval.kg.snapshot.cache import get_cache_folder, get_states_folder
from retrieval.methods import registry
from webapp.experiments import label_sets, services
from webapp.experiments.models import Checkpoint, LabelSet
from webapp.graphs import files, trash
from webapp.graphs.models import Graph, GraphVersion
from webapp.jobs.models import Job
from webapp.questions.models import QuestionSet


def train(client, graph, questions, **fields):
    body = {"question_set": questions.pk, "method": "rel-rag-path", **fields}
    return client.post(f"/api/v1/graphs/{graph.pk}/train", body, format="json")


@pytest.fixture
def trained(api, tiny_graph, question_set):
    """``trained(**fields)`` is the answer to an analyst who trains with these fields."""
    return lambda **fields: train(api("analyst"), tiny_graph, question_set, **fields)


def test_status_says_what_each_method_is(api, users):
    shown = {m["id"]: m for m in api("viewer").get("/api/v1/status").json()["methods"]}
    assert set(shown) == set(registry.METHODS)
    assert {name for name, m in shown.items() if m["trained"]} == registry.TRAINED
    assert {name for name, m in shown.items() if m["standalone"]} == {"inses", "router", "text-rag"}
    assert {name for name, m in shown.items() if m["available"]} == set(registry.METHODS)
    assert {name: m["needs"] for name, m in shown.items() if m["needs"] != ["facts"]} == {
        "text-rag": ["passages"],
        "router": [],
        "llm-only": ["llm"],
        "llm-cot": ["llm"],
    }
    assert all(m["label"] and m["description"].endswith(".") for m in shown.values())


@pytest.mark.parametrize("method", sorted(registry.TRAINED))
def test_every_trained_method_shows_its_settings(api, users, method):
    shown = api("viewer").get(f"/api/v1/methods/{method}").json()
    assert (shown["id"], shown["trained"]) == (method, True)
    defaults = {setting["name"]: setting["default"] for setting in shown["settings"]}
    assert defaults == configs.export_settings(registry.parse(method))
    assert all(setting["about"] for setting in [*shown["settings"], *shown["options"]])


def test_a_setting_has_type_range_and_choices(api, users):
    settings = {s["name"]: s for s in api("viewer").get("/api/v1/methods/rel-rag-path").json()["settings"]}
    assert settings["dropout"] == {
        "name": "dropout",
        "type": "float",
        "default": 0.2,
        "about": "Rate after each first layer [0.2].",
        "choices": [],
        "least": 0,
        "above": None,
        "below": 1,
    }
    assert (settings["entity_texts"]["type"], settings["entity_texts"]["choices"]) == (
        "choice",
        ["auto", "yes", "no"],
    )
    assert (settings["skip"]["type"], settings["skip"]["default"]) == ("bool", True)


def test_a_method_says_what_its_papers_form_has_otherwise(api, users):
    shown = api("viewer").get("/api/v1/methods/reg-entity").json()
    assert shown["paper_settings"] == {
        "words": False, "texts": False, "mask_names": False, "turning_distances": False,
        "walks": False, "places": False, "norm": False,
        "fan_out": 0, "max_candidates": 0, "entity_texts": "yes",
        "questions_per_epoch": 0, "draws_per_epoch": 0, "learning_rate": 0.001, "epochs": 80, "patience": 80,
    }  # fmt: skip
    assert (shown["paper_options"]["evidence"], shown["paper_options"]["merge_parallel"]) == ("chains", True)
    passages = api("viewer").get("/api/v1/methods/text-rag").json()
    assert passages["paper_options"] == {"ranking": "dense", "decompose": False}
    other = api("viewer").get("/api/v1/methods/llm-only").json()
    assert (other["paper_settings"], other["paper_options"]) == (None, None)


def test_a_method_without_training_has_no_settings(api, users):
    shown = api("viewer").get("/api/v1/methods/text-rag").json()
    assert (shown["trained"], shown["settings"]) == (False, [])
    assert {option["name"]: option["default"] for option in shown["options"]} == {
        "decompose": True,
        "passages": 5,
        "ranking": "blend",
        "reader": "trained",
    }
    assert shown["untrained_options"] == ["ranking", "passages", "reader", "decompose"]
    assert api("viewer").get("/api/v1/methods/no-such").status_code == 404


def test_without_a_checkpoint_a_retriever_has_the_settings_of_the_zero_shot_retriever(api, users):
    shown = api("viewer").get("/api/v1/methods/reg-path").json()
    evidence = [
        "evidence",
        "chain_length",
        "turning_chains",
        "merge_parallel",
        "chains_read",
        "characters_read",
    ]
    evidence.append("joins")
    names = [*evidence, "text_fit", "by_words", "decompose", "beam"]
    assert [option["name"] for option in shown["options"]] == names
    assert shown["untrained_options"] == [*evidence, "decompose"]


def test_training_is_queued_with_what_was_asked_for(api, tiny_graph, question_set, redis):
    answer = train(api("analyst"), tiny_graph, question_set, config={"epochs": 2}, fraction=0.05, seed=7, labels=None)
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(pk=answer.json()["id"])
    assert (job.kind, job.title) == ("train", "Train rel-rag-path on Tiny questions (0.05 of it)")
    assert job.params == {
        "question_set": question_set.pk,
        "snapshot": tiny_graph.snapshot.hash,
        "method": "rel-rag-path",
        "config": {"epochs": 2, "seed": 7},
        "fraction": 0.05,
        "labels": None,
        "trajectories": None,
        "review_queue": None,
        "compare": True,
        "corrections": True,
    }
    assert redis.llen("clew:celery:long") == 1


@pytest.mark.parametrize(
    ("fields", "code", "says"),
    [
        ({"method": "inses"}, "unknown_method", "rel-rag-path"),
        ({"method": "router", "config": {"max_hops": 2}}, "bad_config", "max_hops"),
        ({"method": "no-such"}, "unknown_method", "no-such"),
        ({"config": {"epoch": 3}}, "bad_config", "'epochs'"),
        ({"config": {"epochs": "three"}}, "bad_config", "three"),
        ({"config": {"epochs": 0}}, "bad_config", "at least 1"),
        ({"config": {"seed": 1}, "seed": 2}, "bad_config", "seed"),
        ({"config": []}, "invalid", "config"),
        ({"fraction": 0}, "invalid", "fraction"),
        ({"fraction": 1.01}, "invalid", "fraction"),
        ({"fraction": "half"}, "invalid", "fraction"),
        ({"seed": -1}, "invalid", "seed"),
        ({"question_set": None}, "invalid", "question_set"),
    ],
)
def test_what_cannot_be_trained(trained, fields, code, says):
    answer = trained(**fields)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, code)
    assert says in error["message"] + error["hint"]
    assert Job.objects.count() == 0


def test_an_unknown_question_set_graph_or_label_set_is_404(api, tiny_graph, question_set):
    client = api("analyst")
    assert train(client, tiny_graph, question_set, question_set=999).status_code == 404
    assert train(client, tiny_graph, question_set, labels=999).status_code == 404
    tiny_graph.pk = 999
    assert train(client, tiny_graph, question_set).status_code == 404


def test_a_question_set_of_another_graph_is_refused(api, tiny_graph, question_set):
    other = QuestionSet.objects.create(name="Other", graph=Graph.objects.create(name="Elsewhere", visibility="public"))
    error = train(api("analyst"), tiny_graph, other).json()["error"]
    assert (error["code"], error["message"]) == (
        "bad_training_data",
        "The question set Other is about Elsewhere.",
    )


def test_a_set_without_training_questions_is_refused(api, tiny_graph, question_set):
    question_set.splits = {"train": 0, "dev": 0, "test": 2}
    question_set.save()
    error = train(api("analyst"), tiny_graph, question_set).json()["error"]
    assert error["code"] == "bad_training_data"
    assert "no question in its split train" in error["message"]
    assert error["hint"] == "It has: test (2)."


@pytest.fixture
def label_set(tiny_graph, question_set):
    return label_sets.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="answer-set", name="Mine", user=None
    )


def test_labels_that_do_not_belong_are_refused(api, tiny_graph, question_set, label_set):
    def refused():
        error = train(api("analyst"), tiny_graph, question_set, labels=label_set.pk).json()["error"]
        assert error["code"] == "bad_training_data"
        return error["message"]

    assert refused() == "The label set Mine is not done: queued."
    label_sets.save_label_set(label_set=label_set, labels=1)
    LabelSet.objects.update(snapshot_hash="another")
    assert "another version of the graph" in refused()
    LabelSet.objects.update(snapshot_hash=tiny_graph.snapshot.hash, question_set=None, question_set_name="Gone")
    assert refused() == "The label set Mine is of the question set Gone."
    LabelSet.objects.update(question_set=question_set)
    answer = train(api("analyst"), tiny_graph, question_set, labels=label_set.pk)
    assert Job.objects.get(pk=answer.json()["id"]).params["labels"] == label_set.pk


def test_a_viewer_trains_nothing_and_deletes_nothing(api, tiny_graph, question_set, checkpoint):
    kept = checkpoint()
    assert train(api("viewer"), tiny_graph, question_set).status_code == 403
    assert api("viewer").delete(f"/api/v1/checkpoints/{kept.pk}").status_code == 403
    assert api("viewer").get(f"/api/v1/checkpoints/{kept.pk}").status_code == 200


def test_checkpoints_are_listed_by_graph_and_method(api, tiny_graph, question_set, checkpoint):
    first = checkpoint(question_set=question_set, question_set_name="Tiny questions", fraction=0.5)
    second = checkpoint(method="rapl")
    url = "/api/v1/checkpoints"
    listed = api("viewer").get(url, {"graph": tiny_graph.pk}).json()["results"]
    assert [row["id"] for row in listed] == [second.pk, first.pk]
    assert [row["id"] for row in api("viewer").get(url, {"method": "rapl"}).json()["results"]] == [second.pk]
    shown = api("viewer").get(f"{url}/{first.pk}").json()
    assert (shown["question_set_name"], shown["fraction"], shown["seed"], shown["label_set"]) == (
        "Tiny questions",
        0.5,
        3,
        None,
    )
    assert (shown["current"], shown["snapshot"]) == (True, tiny_graph.snapshot.hash)


def test_a_checkpoint_of_an_older_version_is_not_current(api, tiny_graph, checkpoint):
    old = GraphVersion.objects.create(
        graph=tiny_graph, version=2, hash="old", path="p", entities=1, relations=1, triples=1
    )
    row = checkpoint(snapshot=old)
    assert api("viewer").get(f"/api/v1/checkpoints/{row.pk}").json()["current"] is False


def test_a_deleted_checkpoint_takes_its_files_along(api, tiny_graph, checkpoint, django_capture_on_commit_callbacks):
    row = checkpoint(path=files.build_checkpoint_name(tiny_graph.pk, 5))
    path = files.ensure_local_path(row.path)
    path.mkdir(parents=True)
    (path / "weights.pt").write_bytes(b"w")
    cache = get_cache_folder(files.ensure_local_path(tiny_graph.snapshot.path))
    mine, other = (get_states_folder(cache, name, tiny_graph.snapshot.hash) for name in (row.fingerprint, "other"))
    for folder in (mine, other):
        folder.mkdir(parents=True)
        (folder / "states.npy").write_bytes(b"s")
    assert api().delete(f"/api/v1/checkpoints/{row.pk}").status_code == 204
    assert (Checkpoint.objects.count(), path.exists(), mine.exists()) == (0, True, True)
    Checkpoint.with_trash.update(deleted_at=timezone.now() - timedelta(days=8))
    with django_capture_on_commit_callbacks(execute=True):
        trash.remove_expired()
    assert (Checkpoint.with_trash.count(), path.exists()) == (0, False)
    assert (mine.exists(), other.exists()) == (False, True)
    assert api("analyst").delete(f"/api/v1/checkpoints/{row.pk}").status_code == 404


def test_a_checkpoint_outlives_what_it_was_made_of(tiny_graph, question_set, users):
    training = services.Training("rel-rag-path")
    job = services.start_training(graph=tiny_graph, question_set=question_set, training=training, user=None)
    question_set.delete()
    made = {"method": "rel-rag-path", "encoder": "e", "fingerprint": "f", "label_set": None, "fraction": 1.0}
    gone = QuestionSet(pk=question_set.pk or 1, name="Tiny questions", graph=tiny_graph)
    row = services.save_checkpoint(
        job=job, path="p", question_set=gone, question_set_name=gone.name, metrics={}, config={}, **made
    )
    assert (row.question_set, row.question_set_name) == (None, "Tiny questions")
