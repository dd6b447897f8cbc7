"""Property graphs and passages are read whole, each from the forms it comes in, and bad rows are named."""

import pytest

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.build import build_snapshot
from retrieval.kg.readers import read_graph
from retrieval.kg.readers.options import ReadOptions


class Read:
    """Files written and read together: the table's rows, and (file, line, message) of the problems."""

    def __init__(self, directory, files, **how):
        self.problems = []
        for name, content in files.items():
            (directory / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        paths = [directory / name for name in files]
        self.table = read_graph(
            paths, ReadOptions(**how), problems=lambda p: self.problems.append((p.file, p.line, p.message))
        )
        for name in ("facts", "node_attributes", "fact_attributes", "passages", "fact_passages", "nodes"):
            frame = getattr(self.table, name)
            setattr(self, name, [] if frame is None else frame.rows())


@pytest.fixture
def read(tmp_path):
    return lambda files, **how: Read(tmp_path, files, **how)


GFM_RAG = {
    "nodes.csv": "name,type,attributes\n"
    '"Barack Obama","entity","{}"\n'
    '"White House","entity","{\'location\': \'Washington, D.C.\'}"\n'
    "\"Obama Biography\",\"document\",\"{'title': 'A Life', 'content': 'He lived there.', 'year': 2020}\"\n",
    "relations.csv": 'name,attributes\nlived_in,"{}"\n',
    "edges.csv": "source,relation,target,attributes\n"
    'Barack Obama,lived_in,White House,"{""start"": 2009, ""roles"": [""a"", ""b""]}"\n'
    "Barack Obama,mentioned_in,Obama Biography,{}\n"
    "Barack Obama,mentioned_in,Nobody described,{}\n"
    "Barack Obama,lived_in,White House,{oops\n"
    "a,b\n"
    ",lived_in,White House,{}\n",
}


def test_gfm_rag_files(read):
    got = read(GFM_RAG)
    assert got.facts == [
        ("Barack Obama", "lived_in", "White House"),
        ("Barack Obama", "mentioned_in", "Obama Biography"),
        ("Barack Obama", "mentioned_in", "Nobody described"),
    ]
    assert got.node_attributes == [
        ("Barack Obama", "type", "entity"),
        ("White House", "type", "entity"),
        ("White House", "location", "Washington, D.C."),
        ("Obama Biography", "type", "document"),
        ("Obama Biography", "title", "A Life"),
        ("Obama Biography", "year", "2020"),
    ]
    assert got.fact_attributes == [(0, "start", "2009"), (0, "roles", "a"), (0, "roles", "b")]
    assert got.passages == [("Obama Biography", "A Life", "He lived there.", "", "")]
    assert got.fact_passages == [(1, 0)]
    assert got.problems == [
        ("edges.csv", 5, "the attributes are neither JSON nor a Python dictionary"),
        ("edges.csv", 6, "2 columns found, the header has 4"),
        ("edges.csv", 7, "the source is empty"),
    ]
    assert (got.table.sources, got.table.problems) == (("nodes.csv", "relations.csv", "edges.csv"), 3)


def test_it_makes_a_snapshot_with_all_of_it(read, tmp_path):
    graph = build_snapshot(read(GFM_RAG).table, tmp_path / "graph")
    house, obama = graph.find_entity("White House"), graph.find_entity("Barack Obama")
    assert graph.get_entity_attributes(house) == {"location": "Washington, D.C.", "type": "entity"}
    lived = graph.find_fact(obama, graph.find_relation("lived_in"), house)
    assert graph.get_fact_attributes(lived) == {"roles": "a; b", "start": "2009"}
    mention = int(graph.get_in_edges(graph.find_entity("Obama Biography"))[0])
    assert graph.passages.get_fact_passages(mention).tolist() == [0]


def test_neo4j_import_files_with_id_spaces_types_and_arrays(read):
    got = read(
        {
            "movies.csv": "movieId:ID(Movie),title,year:int,:LABEL,tags:string[],secret:IGNORE\n"
            '1,"The Matrix, 1",1999,Movie;Film,sf;action,no\n2,Heat,1995,Movie,,no\n',
            "people.csv": "personId:ID(Person),name,:LABEL\n1,Keanu Reeves,Actor\n2,Heat,Band\n",
            "roles.csv": ":START_ID(Person),role,:END_ID(Movie),:TYPE\n"
            '1,"Neo\nThe One",1,ACTED_IN\n1,Neo,9,ACTED_IN\n1,Neo,,ACTED_IN\n1,Neo,2,\n',
        }
    )
    assert got.facts == [("Keanu Reeves", "ACTED_IN", "The Matrix, 1")]
    assert got.fact_attributes == [(0, "role", "Neo\nThe One")]
    assert [row[0] for row in got.nodes] == [
        "The Matrix, 1",
        "Heat (2 of Movie)",
        "Keanu Reeves",
        "Heat (2 of Person)",
    ]
    assert [row[1:] for row in got.node_attributes if row[0] == "The Matrix, 1"] == [
        ("type", "Movie"),
        ("type", "Film"),
        ("movieId", "1"),
        ("year", "1999"),
        ("tags", "sf"),
        ("tags", "action"),
    ]
    assert got.problems == [
        ("roles.csv", 5, "the target is empty"),
        ("roles.csv", 6, "the relation is empty"),
        ("roles.csv", 4, "no row describes the node 9 of Movie"),
    ]


APOC_CSV = (
    '"_id","_labels","age","name","_start","_end","_type","since"\n'
    '"188",":User:Admin","42","Adam",,,,\n"189",":User","","Jim",,,,\n,,,,"188","189","KNOWS","1993"\n'
)
APOC_JSON = (
    '{"type":"node","id":"188","labels":["User","Admin"],"properties":{"name":"Adam","age":42}}\n'
    '{"type":"node","id":"189","labels":["User"],"properties":{"name":"Jim"}}\n'
    '{"id":"0","type":"relationship","label":"KNOWS","properties":{"since":1993},'
    '"start":{"id":"188","labels":["User"]},"end":{"id":"189","labels":["User"]}}\n'
)


@pytest.mark.parametrize(("name", "content"), [("all.csv", APOC_CSV), ("all.json", APOC_JSON)])
def test_apoc_exports(read, name, content):
    got = read({name: content})
    assert got.facts == [("Adam", "KNOWS", "Jim")]
    assert got.node_attributes == [
        ("Adam", "type", "User"),
        ("Adam", "type", "Admin"),
        ("Adam", "age", "42"),
        ("Jim", "type", "User"),
    ]
    assert (got.fact_attributes, got.problems) == ([(0, "since", "1993")], [])


def test_plain_ids_and_names(read):
    got = read(
        {
            "n.csv": "id;label;name\nF1;Food;Poha\nI1;Ingredient;1984\n",
            "e.tsv": "start_id\trel_type\tend_id\tprops\nF1\tHAS\tI1\t{}\n",
        }
    )
    assert got.facts == [("Poha", "HAS", "1984")]
    assert got.node_attributes == [("Poha", "type", "Food"), ("1984", "type", "Ingredient")]
    assert got.nodes == [("Poha", "entity", None), ("1984", "entity", None)]


def test_edges_without_their_nodes_show_ids_and_say_so(read):
    got = read({"e.csv": "start_id,type,end_id,since\n1,KNOWS,2,1990\n"})
    assert (got.facts, got.fact_attributes) == ([("1", "KNOWS", "2")], [(0, "since", "1990")])
    assert got.problems == [
        (
            "e.csv",
            0,
            "nodes are named by id and no file describes them, so ids are shown; add the file of nodes",
        )
    ]


def test_three_columns_in_the_order_of_a_fact_stay_delimited(read):
    got = read({"plain.csv": "source,relation,target\na,r,b\n", "more.csv": "id,near,other\nx,y,z\n"})
    assert got.facts == [("a", "r", "b"), ("id", "near", "other"), ("x", "y", "z")]
    assert got.node_attributes == []
    assert read({"odd.csv": "source,target,relation\na,b,r\n"}).facts == [("a", "r", "b")]


@pytest.mark.parametrize("how", [{"format": "csv"}, {"delimiter": ","}, {"format": "property-csv"}, {"header": True}])
def test_a_header_of_nodes_is_known_whatever_was_asked(read, how):
    files = {"n.csv": "id,name,type\n1,A,x\n", "e.csv": "source,relation,target,since\n1,r,1,2000\n"}
    assert read(files, **how).facts == [("A", "r", "A")]
    assert read({"n.csv": "id,name,type\n1,A,x\n"}, header=False).facts == [
        ("id", "name", "type"),
        ("1", "A", "x"),
    ]


JSONL = """{"id": 7, "label": "Person", "name": "Eve", "description": "someone", "aliases": ["Evie", "E."]}
{"id": 8, "name": "Bob", "type": "Person", "text": "said"}
{"source": 7, "relation": "likes", "target": 8, "weight": 0.5}
{"source": 7, "relation": "likes", "target": 77}
{"source": 7, "target": 8}

nonsense
[1]
{"colour": "red"}
"""


def test_jsonl_of_nodes_and_edges(read):
    got = read({"g.jsonl": JSONL})
    assert got.facts == [("Eve", "likes", "Bob")]
    assert got.node_attributes == [
        ("Eve", "description", "someone"),
        ("Eve", "aliases", "Evie"),
        ("Eve", "aliases", "E."),
        ("Eve", "type", "Person"),
        ("Bob", "type", "Person"),
        ("Bob", "text", "said"),
    ]
    assert got.fact_attributes == [(0, "weight", "0.5")]
    assert [(line, message) for _, line, message in got.problems] == [
        (5, "the relation is empty"),
        (7, "not JSON (Expecting value: line 1 column 1 (char 0))"),
        (8, "not a JSON object"),
        (9, "neither a node (id or name) nor an edge (source, relation, target)"),
        (4, "no row describes the node 77"),
    ]
    array = '[{"name": "A", "type": "x"}, {"source": "A", "relation": "r", "target": "B"}]'
    assert read({"array.json": array}).facts == [("A", "r", "B")]


def test_passages_documents_and_facts_together(read, tmp_path):
    got = read(
        {
            "facts.tsv": "Bob\tborn in\tRome\n",
            "a.jsonl": '{"id": "1", "title": "T", "text": "One.", "triples": [["Bob", "is", "one"]]}\n',
            **GFM_RAG,
            "t.nt": "<http://e/a> <http://e/r> <http://e/b> .\n",
        }
    )
    assert got.facts == [
        ("Bob", "born in", "Rome"),
        ("Bob", "is", "one"),
        ("Barack Obama", "lived_in", "White House"),
        ("Barack Obama", "mentioned_in", "Obama Biography"),
        ("Barack Obama", "mentioned_in", "Nobody described"),
        ("a", "http://e/r", "b"),
    ]
    assert got.fact_passages == [(1, 0), (3, 1)]
    assert got.fact_attributes == [(2, "start", "2009"), (2, "roles", "a"), (2, "roles", "b")]
    assert [row[0] for row in got.passages] == ["1", "Obama Biography"]
    graph = build_snapshot(got.table, tmp_path / "graph")
    assert graph.passages.get_texts([1, 0]) == ["He lived there.", "One."]


def test_nodes_without_edges_and_kinds_are_no_graph(read, tmp_path):
    with pytest.raises(EmptySourceError, match="no fact"):
        build_snapshot(read({"nodes.csv": GFM_RAG["nodes.csv"].splitlines()[0] + "\nA,,\n"}).table, tmp_path / "g")


@pytest.mark.parametrize(
    ("fmt", "content", "says"),
    [
        ("property-csv", "a,b,c\n1,2,3\n", r"line 1: the first line does not say which columns"),
        ("property-csv", "id,name,type\n1,2\n", r"line 2: 2 columns found, the header has 3"),
        ("property-jsonl", "{}\n", r"line 1: neither a node"),
        (None, '{"question": "who?", "id": 1}\n', "JSON without a graph"),
    ],
)
def test_files_without_a_good_row(read, fmt, content, says):
    with pytest.raises(SourceError, match=says):
        read({"bad.txt": content}, format=fmt)


def test_bytes_that_are_no_text_and_long_values(read):
    got = read(
        {
            "n.csv": b"\xef\xbb\xbfid,name,type,note\n1,A,x,\xff\n2,B,x," + b"n" * 131_073 + b"\n3,C,x,ok\n",
            "j.jsonl": b'\xef\xbb\xbf{"name": "E"}\n{"name": "\xff"}\n{"name": "D", "x": "\\ud800"}\n',
        }
    )
    assert [row[0] for row in got.nodes] == ["C", "E"]
    assert got.problems == [
        ("n.csv", 2, "not UTF-8 text"),
        ("n.csv", 3, "broken quoting (field larger than field limit (131072))"),
        ("j.jsonl", 2, "not UTF-8 text (byte 11 of the line)"),
        ("j.jsonl", 3, "not Unicode text"),
    ]


def test_literals_that_describe_are_attributes_and_others_stay_facts(read):
    prefixes = "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    got = read(
        {
            "t.ttl": prefixes
            + ':a rdfs:label "A thing" ; rdfs:comment "Ein Ding"@de, "A thing of sorts"@en, "Thing"@en-GB ; :size 5 .\n'
            + ':c <https://schema.org/description> "alone" . :a :near :b ; rdfs:comment :b .\n'
        }
    )
    assert sorted(got.facts) == [
        ("A thing", "http://e/near", "b"),
        ("A thing", "http://e/size", "5"),
        ("A thing", "http://www.w3.org/2000/01/rdf-schema#comment", "b"),
    ]
    assert got.node_attributes == [
        ("A thing", "description", "A thing of sorts"),
        ("A thing", "description", "Thing"),
        ("c", "description", "alone"),
    ]
    assert ("c", "entity", "http://e/c") in got.nodes
