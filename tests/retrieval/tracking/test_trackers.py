"""MLflow and TensorBoard themselves have what a training recorded, also of one that was stopped and resumed."""

import json
from functools import partial

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from retrieval.errors import Cancelled
from retrieval.train import train
from tests.retrieval.films import WordEncoder, build, questions
from tests.support.plugin_packages import run_with

pytestmark = pytest.mark.slow

SETTINGS = {"hidden": 16, "batch_size": 64, "epochs": 2, "dropout": 0.1}
CODE = """
import json, sys
from mlflow import MlflowClient
from retrieval.tracking.runs import TrackedRun, open_trackers

with TrackedRun(open_trackers(["mlflow=" + sys.argv[1]]), "probe", {"seed": 1}) as run:
    run.log_metrics({"loss": 0.5, "right relations": 0.25}, 1)
    run.log_metrics({"loss": 0.125}, 2)
print(json.dumps(run.notes))
if not run.notes:
    client = MlflowClient(sys.argv[1])
    (stored,) = client.search_runs([client.get_experiment_by_name("clew").experiment_id])
    losses = [(row.step, row.value) for row in client.get_metric_history(stored.info.run_id, "loss")]
    print(json.dumps([stored.info.run_name, stored.info.status, stored.data.params, stored.data.metrics, losses]))
"""


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "graph")


def read_scalars(folder):
    events = EventAccumulator(str(folder)).Reload()
    return {tag: [(row.step, row.value) for row in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_tensorboard_has_every_epoch_and_the_checkpoints_figures(graph, tmp_path, monkeypatch):
    monkeypatch.setenv("CLEW_TRACKERS", f"tensorboard={tmp_path / 'runs'}")
    fit = partial(train, "rel-rag-path", graph, questions(), config=SETTINGS, out=tmp_path / "out")
    last = []

    def is_second_epoch():
        return bool(last) and last[-1].message.startswith("epoch 2")

    with pytest.raises(Cancelled):
        fit(encoder=WordEncoder(), progress=last.append, cancelled=is_second_epoch)
    (stopped,) = (tmp_path / "runs").iterdir()
    result = fit(encoder=WordEncoder())
    finished = max((tmp_path / "runs").iterdir(), key=lambda folder: len(read_scalars(folder)))
    before, after = read_scalars(stopped), read_scalars(finished)
    assert [step for step, _ in before["loss"]] == [1]
    assert [step for step, _ in after["loss"]] == [step for step, _ in after["dev_path_accuracy"]] == [1, 2]
    assert after["loss"][0] == before["loss"][0]
    for name, value in result.metrics.items():
        assert after[f"checkpoint/{name}"] == [(2, pytest.approx(value))]


def test_mlflow_has_the_parameters_every_epoch_and_the_end(tmp_path):
    done = run_with(tmp_path, "-c", CODE, "store", folder=tmp_path, MLFLOW_ALLOW_FILE_STORE="true")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        [],
        ["probe", "FINISHED", {"seed": "1"}, {"loss": 0.125, "right relations": 0.25}, [[1, 0.5], [2, 0.125]]],
    ]


def test_an_mlflow_server_that_is_away_costs_the_record_alone(tmp_path):
    done = run_with(tmp_path, "-c", CODE, "http://127.0.0.1:9", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (note,) = json.loads(done.stdout)
    assert note.startswith("The tracker mlflow recorded no further: MlflowException: API request to ")
