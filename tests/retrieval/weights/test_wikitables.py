"""Tables in the form of WikiTableQuestions become a suite."""

import json

from retrieval.kg import snapshot as snapshots
from retrieval.weights.data import TrainingData
from retrieval.weights.suites import build_copy_without, load_suites
from retrieval.weights.wikitables import write_suite

TABLE = r""""Title","Year","Copies"
"The \"Blue\" Door","2001","1,200"
"Night
Train","2003","900"
"""
QUESTIONS = r"""id	utterance	context	targetValue
nt-0	how many copies of night train?	csv/200-csv/7.csv	900
nt-1	which title has the most copies?	csv/200-csv/7.csv	The "Blue" Door
nt-2	how many copies has it?	csv/200-csv/7.csv	1,200
nt-3	which titles are there?	csv/200-csv/7.csv	The "Blue" Door|Night\nTrain
"""


def write_source(folder):
    (folder / "csv" / "200-csv").mkdir(parents=True)
    (folder / "csv" / "200-csv" / "7.csv").write_text(TABLE)
    (folder / "data").mkdir()
    (folder / "data" / "training.tsv").write_text(QUESTIONS)


def list_relations(graph):
    snapshot = snapshots.open(graph)
    return [snapshot.get_relation_label(relation) for relation in range(snapshot.num_relations)]


def test_tables_become_graphs_and_questions_keep_their_answers(tmp_path):
    write_source(tmp_path / "wikitables")
    folder = write_suite(tmp_path / "wikitables", tmp_path / "out")
    assert (folder / "200-7.csv").read_text().splitlines() == [
        "Title,Year,Copies",
        '"The ""Blue"" Door",2001,"1,200"',
        "Night Train,2003,900",
    ]
    rows = [json.loads(line) for line in (folder / "dev.jsonl").read_text().splitlines()]
    assert [(row["id"], row["answers"], row.get("also")) for row in rows] == [
        ("nt-0", ["900"], None),
        ("nt-1", ['The "Blue" Door'], None),
        ("nt-2", ["1,200"], [["1200"]]),
        ("nt-3", ['The "Blue" Door', "Night Train"], None),
    ]
    assert {row["graph"] for row in rows} == {"200-7"}


def test_only_so_many_tables_are_drawn(tmp_path):
    write_source(tmp_path / "wikitables")
    folder = write_suite(tmp_path / "wikitables", tmp_path / "out", tables=slice(0))
    assert [file.name for file in folder.iterdir()] == ["dev.jsonl"]


def test_a_copy_of_a_table_lacks_a_column(tmp_path):
    write_source(tmp_path / "data" / "wikitables")
    data = TrainingData(tmp_path / "data", tmp_path / "cache", own=tmp_path)
    question = load_suites(data)[0]
    assert list_relations(question.graph) == ["copies", "year", "row in table"]
    copied = build_copy_without(data, question, "copies")
    assert "copies" not in list_relations(copied)
