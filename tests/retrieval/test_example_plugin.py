"""The example package, installed by pip: its method is trained and evaluated, its format read, its model asked."""

import json
import shlex
import sys

import pytest

from retrieval.questions.files import write_questions
from tests.retrieval.films import facts, questions
from tests.support.plugin_packages import install_example, run_with

pytestmark = pytest.mark.slow

ONE_HOP = ("who directed", "what is the language", "which films did")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install_example(tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    labels = dict.fromkeys(label for head, _, tail in facts() for label in (head, tail))
    numbers = {label: number for number, label in enumerate(labels, 1)}
    nodes = "".join(f"{number} {label}\n" for label, number in numbers.items())
    edges = "".join(f"{numbers[head]} {numbers[tail]} {relation}\n" for head, relation, tail in facts())
    (folder / "films.tgf").write_text(f"{nodes}#\n{edges}1 999 made by\n")
    one_hop = [question for question in questions() if question.question.startswith(ONE_HOP)]
    write_questions(folder / "questions.jsonl", one_hop)
    (folder / "config.json").write_text('{"epochs": 3}')
    return folder


@pytest.fixture(scope="module")
def run(site, folder):
    def run(*words, **environment):
        done = run_with(site, "-m", "retrieval", *words, folder=folder, **environment)
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="module")
def trained(run):
    """What the commands print that read the graph and train on it."""
    given = ["--graph", "graph", "--questions", "questions.jsonl"]
    built = run("build-graph", "films.tgf", "--out", "graph", "--no-index")
    run("train", "linear-probe", *given, "--config", "config.json", "--out", "checkpoint")
    run("evaluate", *given, "--checkpoint", "checkpoint", "--split", "test", "--out", "report.json")
    return built


def test_its_parts_are_listed(run):
    assert run("plug-ins").stdout.split("\n") == [
        "ok       plug-in linear-probe (clew.methods) clew-example-plugin 1.0.0",
        "ok       plug-in tgf (clew.readers)         clew-example-plugin 1.0.0",
        "ok       plug-in command (clew.llm)         clew-example-plugin 1.0.0",
        "",
    ]


def test_its_format_is_told_by_content_in_the_process_that_reads_foreign_files_and_built(trained, run, site, folder):
    assert f"{len(facts())} triples" in trained.stdout
    assert "this edge has no label, or no node of that number" in trained.stderr
    code = "from pathlib import Path\nfrom retrieval.kg.readers.child_process import call, Limits\n"
    code += "from retrieval.kg.readers.graph_preview import read_graph_preview\n"
    code += "from retrieval.kg.readers.options import ReadOptions\n"
    code += "file, named = Path('films.tgf'), 'films'\n"
    code += "print(call(read_graph_preview, file, named, ReadOptions(), what=named, limits=Limits()).format)\n"
    done = run_with(site, "-c", code, folder=folder)
    assert done.stdout == "tgf\n", done.stderr


def test_its_method_is_trained_evaluated_and_asked(trained, run, folder):
    report = json.loads((folder / "report.json").read_text())
    assert (report["method"], report["metrics"]["exact_set"], report["n"]) == ("linear-probe", 1.0, 10)
    asked = run("ask", "--graph", "graph", "--checkpoint", "checkpoint", "who directed Film 05")
    assert asked.stdout.split("\t")[0] == "Kurosawa"


def test_its_model_answers_from_the_evidence(trained, run, folder):
    script = "import sys; open('prompt.txt', 'w').write(sys.stdin.read()); print('ans: Kurosawa')"
    asked = ["ask", "--graph", "graph", "--checkpoint", "checkpoint", "--reasoner", "llm", "who directed Film 05"]
    command = shlex.join([sys.executable, "-c", script])
    done = run(*asked, LLM_BASE_URL="plugin:command", EXAMPLE_COMMAND=command)
    assert "ans: Kurosawa" in done.stderr
    assert done.stdout.split("\t")[0] == "Kurosawa"
    assert "who directed Film 05" in (folder / "prompt.txt").read_text()


def test_the_web_process_lists_them_without_torch(site, folder):
    code = "import sys, webapp.project.asgi, webapp.project.api_urls\n"
    code += "from retrieval.methods.registry import METHODS\nfrom retrieval.kg.readers.catalog import FORMATS\n"
    code += "print(list(METHODS)[-1], list(FORMATS)[-1], sorted({'torch', 'polars'} & set(sys.modules)))"
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "CLEW_HOME": str(folder / "home")}
    done = run_with(site, "-c", code, folder=folder, **environment)
    assert done.stdout == "linear-probe tgf []\n", done.stderr
