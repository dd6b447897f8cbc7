"""Trainings are recorded epoch by epoch; a tracker that breaks is left out, and the training goes on."""

import pytest

from retrieval.errors import Cancelled, ConfigError
from retrieval.tracking.runs import TrackedRun, open_trackers
from tests.support.plugin_packages import add_package, run_with


class Recorder:
    def __init__(self):
        self.calls = []

    def start_run(self, name, params):
        self.calls.append(("start", name, params))

    def log_metrics(self, metrics, step):
        self.calls.append((metrics, step))

    def end_run(self, status):
        self.calls.append(("end", status))


class Breaking(Recorder):
    def log_metrics(self, metrics, step):
        raise OSError("the server is away")


def test_a_tracker_that_breaks_is_left_out_and_named():
    good, bad = Recorder(), Breaking()
    with TrackedRun({"good": good, "bad": bad}, "run", {"seed": 1}) as run:
        run.log_metrics({"loss": 0.5, "ece": float("nan")}, 1)
        run.log_metrics({"loss": 0.25}, 2)
    started, ended = ("start", "run", {"seed": 1}), ("end", "finished")
    assert good.calls == [started, ({"loss": 0.5}, 1), ({"loss": 0.25}, 2), ended]
    assert bad.calls == [started]
    assert run.notes == ["The tracker bad recorded no further: OSError: the server is away."]


@pytest.mark.parametrize(
    ("error", "status"),
    [(Cancelled("Stopped."), "stopped"), (KeyboardInterrupt(), "stopped"), (ValueError(), "failed")],
)
def test_runs_end_as_their_trainings_do(error, status):
    recorder = Recorder()
    with pytest.raises(type(error)), TrackedRun({"one": recorder}, "run", {}):
        raise error
    assert recorder.calls[-1] == ("end", status)


def test_unknown_trackers_are_refused_with_those_that_there_are():
    with pytest.raises(ConfigError, match=r"^No tracker is called 'wandb'\. There is: mlflow, tensorboard\.$"):
        open_trackers(["wandb=somewhere"])


def test_a_tracker_without_its_library_says_what_to_install(tmp_path):
    add_package(tmp_path / "site", "tensorboard", "", "raise ImportError('no tensorboard')\n")
    code = "from retrieval.tracking.runs import open_trackers; open_trackers(['tensorboard'])"
    done = run_with(tmp_path / "site", "-c", code, folder=tmp_path)
    assert "It needs: pip install 'clew[tensorboard]'." in done.stderr.splitlines()[-1]


def test_a_plug_ins_tracker_is_given_where_to_record_and_every_epoch(tmp_path):
    site = tmp_path / "site"
    code = "import json\n\nclass Lines:\n    def __init__(self, where):\n        self.file = open(where, 'w')\n"
    for method, names in (("start_run", "name, params"), ("log_metrics", "metrics, step"), ("end_run", "status")):
        code += f"    def {method}(self, {names}):\n        print('{method}', {names}, file=self.file, flush=True)\n"
    add_package(site, "lines", "[clew.trackers]\nlines = lines:Lines\n", code)
    opened = "from retrieval.tracking.runs import TrackedRun, open_trackers\n"
    opened += "with TrackedRun(open_trackers(['lines=a=b.txt']), 'run', {}) as run: run.log_metrics({'loss': 1.0}, 1)"
    assert run_with(site, "-c", opened, folder=tmp_path).returncode == 0
    assert (tmp_path / "a=b.txt").read_text().splitlines() == [
        "start_run run {}", "log_metrics {'loss': 1.0} 1", "end_run finished",
    ]  # fmt: skip
