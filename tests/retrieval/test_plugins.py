"""Packages that cannot be used are named with the reason, and Clew works as without them."""

import re
import sys
from importlib import metadata
from typing import Any

import pytest

from retrieval import plugins
from retrieval.errors import ConfigError
from retrieval.tracking.runs import TrackedRun
from tests.support.guides import blocks
from tests.support.plugin_packages import EXAMPLE, add_package, run_with

SPEC = """
from retrieval.methods.spec import MethodSpec

def make(name, **fields):
    return MethodSpec(name=name, label="L", description="D", answerer="a:b", **fields)
"""
FORMAT = """
from retrieval.kg.readers.format import Format

def detect(file):
    raise KeyError("nothing")

LINES = Format(name="lines", label="Lines", holds="lines", family="rows", read="nowhere:read", detect=detect)
"""


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def test_what_cannot_be_used_is_listed_with_the_reason(site, tmp_path):
    code = f"{SPEC}\nfrom retrieval.config import TrainingConfig\nGOOD, OTHER = make('good'), make('x')\n"
    code += "RAPL, TRAINED, NUMBER = make('rapl'), make('trained', config=TrainingConfig), 3\n"
    code += "PRESET = make('preset', asking={'paper': {'no': 1}})\n"
    names = "good = first:GOOD\nname = first:OTHER\nrapl = first:RAPL\ntrained = first:TRAINED\nnumber = first:NUMBER\n"
    names += "gone = first:GONE\nBig Name = first:GOOD\npreset = first:PRESET\n"
    add_package(site, "first", f"[clew.methods]\n{names}", code)
    add_package(site, "second", "[clew.methods]\ngood = second:GOOD\n", f"{SPEC}\nGOOD = make('good')\n")
    add_package(site, "third", "[clew.methods]\nexits = third:SPEC\n", "raise SystemExit(3)\n")
    add_package(site, "heavy", "[clew.methods]\nheavy = heavy:SPEC\n", f"import torch\n{SPEC}\nSPEC = make('heavy')\n")
    add_package(site, "model", "[clew.llm]\nsync = model:ask\n", "def ask(): ...\n")
    add_package(site, "follow", "[clew.trackers]\nmlflow = follow:T\nseven = follow:T\n", "T = 7\n")
    add_package(
        site, "formats", "[clew.readers]\ncsv = formats:LINES\nlines = formats:LINES\nother = formats:LINES\n", FORMAT
    )
    done = run_with(site, "-m", "retrieval", "plug-ins", folder=tmp_path)
    assert done.returncode == 1
    findings = re.findall(r"^(\w+) +plug-in (.+?) \(clew\.\w+\) +(.+)$", done.stdout, re.MULTILINE)
    said = {(name, text) for state, name, text in findings if state == "note"}
    assert said == {
        ("Big Name", "A name is at most 32 lower-case letters, digits and single hyphens."),
        ("exits", "third:SPEC cannot be loaded: SystemExit: 3"),
        ("gone", "first:GONE cannot be loaded: AttributeError: module 'first' has no attribute 'GONE'"),
        ("good", "first 1.0 has 'good' already; give it another name."),
        ("heavy", "heavy imports torch; name what needs it as 'module:function' instead."),
        ("name", "The method's name is 'x', that of its entry point 'name'."),
        ("number", "It is of type int and not a MethodSpec."),
        ("preset", "preset has no inference setting 'no'."),
        ("rapl", "Clew has 'rapl' already; give it another name."),
        ("trained", "It has settings of a training, but neither `task` nor `train`."),
        ("csv", "Clew has 'csv' already; give it another name."),
        ("other", "The format's name is 'lines', that of its entry point 'other'."),
        ("sync", "It is of type function and not an `async def` that yields."),
        ("mlflow", "Clew has 'mlflow' already; give it another name."),
        ("seven", "It is of type int and not a class or function that opens a tracker."),
    }
    assert [row for row in findings if row[0] == "ok"] == [("ok", "good", "first 1.0"), ("ok", "lines", "formats 1.0")]
    assert "The plug-in exits (clew.methods, of third 1.0) is not used." in done.stderr


def test_a_format_that_breaks_leaves_other_files_alone_and_names_its_missing_reader(site, tmp_path):
    add_package(site, "formats", "[clew.readers]\nlines = formats:LINES\n", FORMAT)
    (tmp_path / "facts.tsv").write_text("Jaws\tdirector\tSpielberg\n")
    command = ["-m", "retrieval", "build-graph", "facts.tsv", "--no-index", "--out"]
    done = run_with(site, *command, "graph", folder=tmp_path)
    assert (done.returncode, "1 triples" in done.stdout) == (0, True), done.stderr
    assert "The plug-in format lines cannot tell whether facts.tsv is of it." in done.stderr
    done = run_with(site, *command, "other", "--format", "lines", folder=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "error: The reader of the format lines, nowhere:read, cannot be imported: No module named 'nowhere'. "
        "Install what it needs, or repair or remove the plug-in that it comes from.",
    )


def test_a_method_that_is_not_used_is_refused_with_the_reason(site, tmp_path):
    add_package(site, "bad", "[clew.methods]\nbad = bad:SPEC\n", "import nowhere\n")
    code = "from retrieval.methods import registry; registry.get_method('bad')"
    done = run_with(site, "-c", code, folder=tmp_path)
    assert done.stderr.splitlines()[-1] == (
        "retrieval.errors.MethodError: No method is called 'bad'. Its plug-in (bad 1.0) is not used. bad:SPEC cannot "
        "be loaded: ModuleNotFoundError: No module named 'nowhere'"
    )


def test_plugins_are_sorted_and_those_that_are_refused_have_no_object(site, monkeypatch):
    add_package(site, "words", "[group]\nb = words:B\na = words:A\n", "A, B = 'a', 'b'\n")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(plugins, "_read_entry_points", metadata.entry_points)

    def refuse_a(name, value):
        if value == "a":
            raise ConfigError("No.")

    loaded = plugins.load_plugins("group", refuse_a)
    assert loaded == (
        plugins.Plugin("group", "a", "words 1.0", problem="No."),
        plugins.Plugin("group", "b", "words 1.0", "b"),
    )
    assert (plugins.select_usable(loaded), plugins.list_names("group")) == ({"b": "b"}, ["a", "b"])
    assert plugins.explain_missing(loaded, "a", ["b"]) == "Its plug-in (words 1.0) is not used. No."
    assert plugins.explain_missing(loaded, "c", ["b"]) == "There is: b."
    sys.modules.pop("words")


def test_the_page_shows_the_code_of_the_example_and_a_tracker_that_records(capsys):
    code = blocks("plug-ins.md")
    tracker = code.pop("tracker.py")
    assert list(code) == ["pyproject.toml", "clew_example/spec.py", "clew_example/tgf.py", "clew_example/command.py"]
    for name, text in code.items():
        assert text in (EXAMPLE / name).read_text(encoding="utf-8"), name
    module: dict[str, Any] = {}
    exec(tracker, module)
    with TrackedRun({"mine": module["PrintTracker"]("films")}, "run", {"method": "rapl"}) as run:
        run.log_metrics({"loss": 0.5}, 1)
    assert (capsys.readouterr().out, run.notes) == ("films run rapl\n1 {'loss': 0.5}\nfinished\n", [])
