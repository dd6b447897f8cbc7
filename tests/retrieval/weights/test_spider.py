"""A database in Spider's form becomes a suite."""

import json
import sqlite3

from retrieval.weights.spider_suites import write_suites

SCHEMA = {
    "db_id": "zoo",
    "table_names_original": ["keepers", "animals"],
    "table_names": ["keepers", "animals"],
    "column_names_original": [
        [-1, "*"], [0, "keeper_id"], [0, "name"], [1, "animal_id"], [1, "name"], [1, "weight"], [1, "keeper"],
    ],
    "column_names": [
        [-1, "*"], [0, "keeper id"], [0, "name"], [1, "animal id"], [1, "name"], [1, "weight"], [1, "keeper id"],
    ],
    "column_types": ["text", "number", "text", "number", "text", "number", "number"],
    "primary_keys": [1, 3],
    "foreign_keys": [[6, 1]],
}  # fmt: skip
QUESTIONS = [
    ("How many animals are there?", "SELECT count(*) FROM animals"),
    ("Who keeps Leo?", "SELECT k.name FROM keepers k JOIN animals a ON a.keeper = k.keeper_id WHERE a.name = 'Leo'"),
    ("Which animal is heaviest?", "SELECT name FROM animals ORDER BY weight DESC LIMIT 1"),
    ("Names and weights?", "SELECT name, weight FROM animals"),
]


def test_rows_become_facts_and_sql_becomes_answers(tmp_path):
    spider = tmp_path / "spider"
    (spider / "database" / "zoo").mkdir(parents=True)
    with sqlite3.connect(spider / "database" / "zoo" / "zoo.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE keepers (keeper_id INT, name TEXT); CREATE TABLE animals "
            "(animal_id INT, name TEXT, weight INT, keeper INT);"
            "INSERT INTO keepers VALUES (1, 'Ann'), (2, 'Ben');"
            "INSERT INTO animals VALUES (1, 'Leo', 190, 1), (2, 'Raja', 190, 2), (3, 'Kiki', 4, 2);"
        )
    connection.close()
    (spider / "tables.json").write_text(json.dumps([SCHEMA]))
    rows = [{"db_id": "zoo", "question": question, "query": query} for question, query in QUESTIONS]
    (spider / "train_spider.json").write_text(json.dumps(rows))
    (learned,) = write_suites(spider, tmp_path / "out")
    assert write_suites(spider, tmp_path / "out") == [learned], "written once"
    suite = next(path.parent for path in (tmp_path / "out").glob("*/zoo.tsv"))
    facts = {tuple(line.split("\t")) for line in (suite / "zoo.tsv").read_text().splitlines()[1:]}
    assert {("Leo", "keeper", "Ann"), ("Leo", "weight", "190"), ("Ann", "type", "keeper")} <= facts
    asked = [json.loads(line) for line in (suite / "dev.jsonl").read_text().splitlines()]
    assert [(row["question"], row["answers"], row.get("also")) for row in asked] == [
        ("How many animals are there?", ["3"], None),
        ("Who keeps Leo?", ["Ann"], None),
        ("Which animal is heaviest?", ["Leo"], [["Leo", "Raja"]]),
    ]
    assert [row["operators"] for row in asked] == [["count"], ["path"], ["superlative"]]
