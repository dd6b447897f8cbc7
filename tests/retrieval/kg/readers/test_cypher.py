"""Cypher scripts: what CREATE, MERGE, MATCH and SET make, and what is said of the rest."""

import pytest

from retrieval.errors import EmptySourceError
from retrieval.kg.readers import read_graph, read_preview


@pytest.fixture
def read(tmp_path):
    def reader(script, name="films.cypher"):
        path = tmp_path / name
        path.write_text(script)
        problems = []
        table = read_graph(path, problems=problems.append)
        attributes = [] if table.node_attributes is None else table.node_attributes.rows()
        return table, set(attributes), [(one.line, one.message) for one in problems]

    return reader


def test_variables_reach_across_a_statement(read):
    table, said, problems = read(
        ":begin\n// films; and people\nCREATE CONSTRAINT IF NOT EXISTS FOR (p:Person) REQUIRE p.name IS UNIQUE;\n"
        "CREATE (Jaws:Movie {title: 'Jaws', released: 1975, rating: -8.1, colour: true, note: null})\n"
        'CREATE (s:Person:Director {name: "Steven \\"S\\" O\'Brien", `born in`: date("1946-12-18")})\n'
        "CREATE (s)-[:DIRECTED]->(Jaws)<-[:ACTED_IN {roles: ['Brody', 'Chief; of police'], year: 1975}]-"
        "(:Person {name: 'Roy'}),\n way = (s)-[:KNOWS]->(:Person {name: 'Verna'});\n:commit\n"
    )
    steven = 'Steven "S" O\'Brien'
    assert table.facts.rows() == [
        (steven, "DIRECTED", "Jaws"),
        ("Roy", "ACTED_IN", "Jaws"),
        (steven, "KNOWS", "Verna"),
    ]
    assert said == {
        ("Jaws", "type", "Movie"),
        ("Jaws", "released", "1975"),
        ("Jaws", "rating", "-8.1"),
        ("Jaws", "colour", "true"),
        (steven, "type", "Person"),
        (steven, "type", "Director"),
        (steven, "born in", "1946-12-18"),
        ("Roy", "type", "Person"),
        ("Verna", "type", "Person"),
    }
    assert set(table.fact_attributes.rows()) == {
        (1, "roles", "Brody"),
        (1, "roles", "Chief; of police"),
        (1, "year", "1975"),
    }
    assert problems == []


def test_merge_makes_what_is_not_there(read):
    table, said, problems = read(
        "MERGE (a:Person {name: 'Ann'}) ON CREATE SET a.age = 7, a:Child ON MATCH SET a.age = 8;\n"
        "MERGE (a:Person {name: 'Ann'}) ON CREATE SET a.age = 9 ON MATCH SET a.city = 'Oslo';\n"
        "MERGE (a:Person {name: 'Ann'}) MERGE (b:Person {name: 'Bob'}) MERGE (a)-[r:KNOWS]->(b) SET r.since = 1999;\n"
        "MERGE (a:Person {name: 'Ann'}) MERGE (b:Person {name: 'Bob'}) MERGE (a)-[:KNOWS]->(b);\n"
    )
    assert table.facts.rows() == [("Ann", "KNOWS", "Bob")]
    assert table.fact_attributes.rows() == [(0, "since", "1999")]
    assert said == {
        ("Ann", "type", "Person"),
        ("Ann", "type", "Child"),
        ("Ann", "age", "7"),
        ("Ann", "city", "Oslo"),
        ("Bob", "type", "Person"),
    }
    assert problems == []


def test_match_finds_nodes_of_the_script(read):
    table, _, problems = read(
        "CREATE (:Person {name: 'Ann'}), (:Person {name: 'Bob'}), (:Town {name: 'Oslo'});\n"
        "MATCH (a:Person {name: 'Ann'}), (t:Town {name: 'Oslo'}) CREATE (a)-[:LIVES_IN]->(t);\n"
        "MATCH (b:Person), (t:Town) WHERE b.name = 'Bob' AND t.name = 'Oslo' CREATE (b)-[:LEFT]->(t) RETURN b;\n"
        "MATCH (a:Person) CREATE (a)-[:IS]->(a);\n"
        "MATCH (a:Person {name: 'Eve'}) CREATE (a)-[:IS]->(a);\n"
    )
    assert table.facts.rows() == [("Ann", "LIVES_IN", "Oslo"), ("Bob", "LEFT", "Oslo")]
    prefix = "the statement is not read from here on: MATCH finds"
    assert problems == [
        (4, f"{prefix} 2 nodes of the script, and one is needed"),
        (5, f"{prefix} no node of the script, and one is needed"),
    ]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UNWIND [1, 2] AS n CREATE (:N {n: n})", "UNWIND is not read"),
        ("LOAD CSV FROM 'x.csv' AS row CREATE (:N {n: row[0]})", "LOAD is not read"),
        ("CREATE (:N {n: 1 + 2})", "} is needed in the place of +"),
        ("CREATE (:N {n: timestamp()})", "a value is needed in the place of timestamp"),
        ("CREATE (:N {n: 'open)", "a value is needed in the place of '"),
        ("CREATE (a)-[:R*2]->(b)", "] is needed in the place of *"),
        ("CREATE (a", ") is needed in the place of the end"),
        ("MATCH (a)-[:R]->(b) SET a.x = 1", "MATCH of relationships is not read"),
        ("CREATE (:N {n: [[1]]})", "a value is needed in the place of ["),
    ],
)
def test_what_is_not_read_is_a_problem_of_its_statement(read, statement, message):
    table, _, problems = read(f"CREATE (:Town {{name: 'Oslo'}});\n{statement};\n")
    assert problems == [(2, f"the statement is not read from here on: {message}")]
    assert table.nodes["label"].to_list() == ["Oslo"]


def test_nodes_without_a_name_are_numbered(read):
    table, said, _ = read("CREATE (:Person {age: 7})-[:LIKES]->();", "a.cypher")
    assert table.facts.rows() == [("Person 1 of a", "LIKES", "node 2 of a")]
    assert ("Person 1 of a", "age", "7") in said


def test_marks_of_an_export_are_left_out(read):
    table, said, problems = read(
        "CREATE (:Person:`UNIQUE IMPORT LABEL` {name: 'Ann', `UNIQUE IMPORT ID`: 0});\n"
        "CREATE (:Person:`UNIQUE IMPORT LABEL` {name: 'Bob', `UNIQUE IMPORT ID`: 1});\n"
        "MATCH (n1:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`:0}), (n2:`UNIQUE IMPORT LABEL`{`UNIQUE IMPORT ID`:1})"
        " CREATE (n1)-[r:KNOWS {since: 1999}]->(n2);\n"
    )
    assert table.facts.rows() == [("Ann", "KNOWS", "Bob")]
    assert said == {("Ann", "type", "Person"), ("Bob", "type", "Person")}
    assert problems == []


def test_a_script_without_a_statement_that_is_read_is_refused(tmp_path):
    path = tmp_path / "load.cypher"
    path.write_text("LOAD CSV WITH HEADERS FROM 'x.csv' AS row\nMERGE (:Person {name: row.name});\n")
    with pytest.raises(EmptySourceError, match="without a statement that is read") as error:
        read_graph(path, problems=print)
    assert "apoc.export.graphml" in (error.value.hint or "")
    assert read_preview(path).refused


def test_a_preview_shows_the_first_relationships(tmp_path):
    path = tmp_path / "upload"
    path.write_text("CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:Person {name: 'Bob'});")
    shown = read_preview(path, "graph.txt")
    assert (shown.format, shown.rows) == ("cypher", (("Ann", "KNOWS", "Bob"),))


def test_escapes_of_strings_are_resolved(read):
    _, said, _ = read(r"CREATE (:T {name: 'a', x: 'tab\there', y: '\u00e9\ud83d\ude00', z: '\ud800'});")
    assert {row[1:] for row in said if row[1] != "type"} == {("x", "tab\there"), ("y", "é😀"), ("z", "\ufffd")}
