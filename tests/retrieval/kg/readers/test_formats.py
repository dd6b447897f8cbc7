"""Parquet, GraphML, Neo4j with headers apart, GFM-RAG, and questions that bring their own subgraphs."""

import json

import polars as pl
import pytest

from retrieval.errors import SourceError
from retrieval.kg.build import build_snapshot
from retrieval.kg.readers import read_graph, read_preview
from retrieval.kg.readers.options import ReadOptions
from retrieval.questions.files import read_questions

FACTS = [("Jaws", "directed_by", "Spielberg"), ("Hook", "in_language", "French")]


@pytest.fixture
def read(tmp_path):
    def reader(files, **options):
        paths = []
        for name, content in files.items():
            path = tmp_path / name
            if isinstance(content, pl.DataFrame):
                content.write_parquet(path)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            paths.append(path)
        problems = []
        return read_graph(paths, ReadOptions(**options), problems=problems.append), problems

    return reader


def attributes(table):
    return sorted(table.node_attributes.rows())


def parquet(rows, *names):
    return pl.DataFrame(rows, schema=list(names), orient="row")


def test_parquet_of_facts(read, tmp_path):
    frame = parquet([*FACTS, ("", "r", "b"), ("a", None, "b"), ("a\0", "r", "b")], "object", "p", "s")
    table, problems = read({"kb.parquet": frame})
    assert table.facts.rows() == [(t, r, h) for h, r, t in FACTS]  # by the columns' names
    assert [(p.line, p.kind) for p in problems] == [(3, "blank"), (4, "blank"), (5, "row")]
    assert table.reports[0].format == "parquet"
    wide = parquet([(1, 0.5, *row) for row in FACTS], "n", "w", "x", "y", "z")
    corrected = read({"kb.parquet": wide}, columns={"head": "x", "relation": 3, "tail": "z"})[0]
    assert corrected.facts.rows() == FACTS
    found = read_preview(
        tmp_path / "kb.parquet", options=ReadOptions(columns={"head": "x", "relation": 3, "tail": "z"})
    )
    assert (found.format, found.columns) == ("parquet", {"head": 2, "relation": 3, "tail": 4})
    assert found.header_cells == ("n", "w", "x", "y", "z")
    assert found.rows == tuple(FACTS)
    with pytest.raises(SourceError, match="broken Parquet"):
        read({"kb.parquet": b"PAR1" + b"nonsense" * 20})


def test_parquet_of_nodes_and_edges(read):
    nodes = pl.DataFrame({"id": [1, 2], "name": ["Jaws", "Spielberg"], "type": [["Film", "Work"], ["Person"]]})
    edges = pl.DataFrame({"source": [1], "target": [2], "relation": ["directed_by"], "year": [1975]})
    table, problems = read({"nodes.parquet": nodes, "edges.parquet": edges})
    assert problems == []
    assert table.facts.rows() == FACTS[:1]
    assert attributes(table) == [
        ("Jaws", "type", "Film"),
        ("Jaws", "type", "Work"),
        ("Spielberg", "type", "Person"),
    ]
    assert table.fact_attributes.rows() == [(0, "year", "1975")]


def test_parquet_of_passages(read):
    table, _ = read({"p.parquet": pl.DataFrame({"id": ["p1"], "title": ["Jaws"], "text": ["By S."]})})
    assert table.passages.rows() == [("p1", "Jaws", "By S.", "", "")]


GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="name" attr.type="string"/>
<key id="d1" for="node" attr.name="year" attr.type="int"/>
<key id="d2" for="edge" attr.name="relation" attr.type="string"/>
<graph edgedefault="directed">
<node id="n0" labels=":Film:Work"><data key="d0">Jaws &amp; Co</data><data key="d1">1975</data></node>
<node id="n1"><data key="d0">Spielberg</data><graph><node id="n2"><data key="d0">Hook</data></node></graph></node>
<edge source="n0" target="n1"><data key="d2">directed_by</data><data key="d1">2</data></edge>
<edge source="n2" target="n1" label="BY"/>
<edge source="n2" target="n0"/>
<edge source="n2" target="n9" label="BY"/>
<hyperedge/>
</graph></graphml>
"""


YED = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key attr.name="Room" for="node" id="d0"/><key for="node" id="d1" yfiles.type="nodegraphics"/>
<key for="edge" id="d2" yfiles.type="edgegraphics"/>
<graph edgedefault="directed">
<node id="n0"><data key="d0">Hall</data><data key="d1"><y:ShapeNode><y:NodeLabel>FW-EDGE</y:NodeLabel>
<y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node>
<node id="n1"><data key="d1"><y:ShapeNode><y:NodeLabel>CORE</y:NodeLabel></y:ShapeNode></data></node>
<edge source="n0" target="n1">
<data key="d2"><y:PolyLineEdge><y:EdgeLabel>LABEL</y:EdgeLabel></y:PolyLineEdge></data></edge>
</graph></graphml>"""


@pytest.mark.parametrize(
    ("label", "fact"),
    [("feeds", ("FW-EDGE", "feeds", "CORE")), ("Cat6", ("FW-EDGE", "connected to", "CORE"))],
)
def test_graphml_of_yed_has_what_it_writes(read, label, fact):
    table, problems = read({"g.graphml": YED.replace("LABEL", label)})
    assert problems == []
    assert table.facts.rows() == [fact]
    assert ("FW-EDGE", "Room", "Hall") in table.node_attributes.rows()


def test_graphml(read, tmp_path):
    table, problems = read({"g.graphml": GRAPHML})
    assert table.facts.rows() == [
        ("Jaws & Co", "directed_by", "Spielberg"),
        ("Hook", "BY", "Spielberg"),
        ("Hook", "connected to", "Jaws & Co"),
    ]
    assert attributes(table) == [
        ("Jaws & Co", "type", "Film"),
        ("Jaws & Co", "type", "Work"),
        ("Jaws & Co", "year", "1975"),
    ]
    assert table.fact_attributes.rows() == [(0, "year", "2")]
    assert [(p.line, p.message) for p in problems] == [
        (13, "edges of more than two ends are not read"),
        (12, "no row describes the node n9"),
    ]
    assert read_preview(tmp_path / "g.graphml").format == "graphml"
    assert read({"g.xml": GRAPHML})[0].reports[0].format == "graphml"
    assert read({"g.graphml": GRAPHML.encode("utf-16")})[0].facts.rows()[0][0] == "Jaws & Co"


def test_graphml_that_breaks_keeps_what_came_before(read):
    cut = GRAPHML[: GRAPHML.index('<edge source="n2" target="n0"/>')] + "<edge oops\n</graphml>"
    table, problems = read({"g.graphml": cut})
    assert len(table) == 2
    assert problems[0].line == 12
    assert "nothing after it was read" in problems[0].message


@pytest.mark.parametrize("name", ["g.graphml", "g.rdf"])
def test_entities_that_grow_are_refused(read, name):
    bomb = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    root, body = (
        ("graphml", "<graph/>")
        if name == "g.graphml"
        else (
            "rdf:RDF",
            '<rdf:Description rdf:about="http://x/a"><p xmlns="http://x/">&j;</p></rdf:Description>',
        )
    )
    space = ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    for declared in (f'<!ENTITY a "lol">{bomb}', '<!ENTITY a SYSTEM "file:///etc/passwd">'):
        text = f'<?xml version="1.0"?><!DOCTYPE {root} [{declared}]><{root}{space}>{body}</{root}>'
        with pytest.raises(SourceError, match=r"document type|grows or is kept elsewhere"):
            read({name: text})


def test_entities_that_abbreviate_namespaces_are_read(read):
    table, _ = read(
        {
            "o.owl": '<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY x "http://x/">]>'
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="&x;">'
            '<rdf:Description rdf:about="&x;a"><x:knows rdf:resource="&x;b"/></rdf:Description></rdf:RDF>'
        }
    )
    assert table.facts.rows() == [("a", "http://x/knows", "b")]


def test_neo4j_headers_in_files_of_their_own(read):
    table, problems = read(
        {
            "movies_header.csv": "movieId:ID(Movie),title,year:int,:LABEL\n",
            "movies.csv": 'm1,"Jaws",1975,Film\n',
            "movies-part2.csv": "m2,Hook,1991,Film;Family\n",
            "people-header.csv": "personId:ID(Person),name,:LABEL\n",
            "people.csv": "p1,Spielberg,Person\nonly,two\n",
            "roles_header.csv": ":START_ID(Movie);:END_ID(Person);:TYPE\n",
            "roles.csv": "m1;p1;DIRECTED_BY\nm2;p1;DIRECTED_BY\n",
        }
    )
    assert sorted(table.facts.rows()) == [
        ("Hook", "DIRECTED_BY", "Spielberg"),
        ("Jaws", "DIRECTED_BY", "Spielberg"),
    ]
    assert ("Hook", "type", "Family") in attributes(table)
    assert ("Jaws", "year", "1975") in attributes(table)
    assert [(p.file, p.line) for p in problems] == [("people.csv", 2)]
    assert [r.name for r in table.reports] == ["movies.csv", "movies-part2.csv", "people.csv", "roles.csv"]


def test_apoc_and_gfm_rag(read):
    apoc = (
        '"_id","_labels","name","_start","_end","_type","since"\n'
        '"1",":Person","Ann",,,,""\n"2",":Person","Bob",,,,""\n,,,"1","2","KNOWS","1999"\n'
    )
    assert read({"all.csv": apoc})[0].facts.rows() == [("Ann", "KNOWS", "Bob")]
    table, problems = read(
        {
            "nodes.csv": 'name,type,attributes\nJaws,film,"{""year"": 1975}"\nSpielberg,person,{}\n',
            "relations.csv": "name,attributes\ndirected_by,{}\n",
            "edges.csv": "source,relation,target,attributes\nJaws,directed_by,Spielberg,\"{'by': 'x'}\"\n",
        }
    )
    assert (table.facts.rows(), problems) == (FACTS[:1], [])
    assert attributes(table) == [
        ("Jaws", "type", "film"),
        ("Jaws", "year", "1975"),
        ("Spielberg", "type", "person"),
    ]


ROG = {
    "id": "W-1",
    "question": "who directed jaws",
    "q_entity": ["Jaws"],
    "a_entity": ["Spielberg"],
    "graph": [list(FACTS[0]), ["Jaws", "in_genre", "Horror"]],
}
GRAFTNET = {
    "id": "G-1",
    "question": "who directed jaws",
    "entities": [{"kb_id": "<m.1>", "text": "Jaws"}],
    "answers": [{"kb_id": "<m.2>", "text": "Spielberg"}, {"kb_id": "m.3", "text": None}],
    "subgraph": {
        "entities": [],
        "tuples": [[{"text": "Jaws"}, {"rel_id": "directed_by", "text": ""}, {"text": "Spielberg"}]],
    },
}
GRAILQA = {
    "qid": 2100,
    "question": "which engines power rockets made by spacex?",
    "answer": [
        {"answer_type": "Entity", "answer_argument": "m.1", "entity_name": "Merlin"},
        {"answer_type": "Value", "answer_argument": "3"},
    ],
    "graph_query": {
        "nodes": [
            {"nid": 0, "node_type": "class", "id": "engine", "friendly_name": "Answerer", "question_node": 1},
            {"nid": 1, "node_type": "class", "id": "rocket", "friendly_name": "Rocket", "question_node": 0},
            {"nid": 2, "node_type": "entity", "id": "m.9", "friendly_name": "SpaceX", "question_node": 0},
        ],
        "edges": [
            {"start": 1, "end": 0, "relation": "rocket.engine"},
            {"start": 1, "end": 2, "relation": "rocket.maker"},
        ],
    },
    "s_expression": "(AND engine ...)",
}


def questions(tmp_path, name, content):
    path = tmp_path / name
    if isinstance(content, pl.DataFrame):
        content.write_parquet(path)
    else:
        path.write_text(content)
    problems = []
    return read_questions(path, problems=problems.append), problems


def test_question_sets_with_their_own_subgraphs_are_graphs_too(read, tmp_path):
    lines = json.dumps(ROG) + "\n" + json.dumps({**ROG, "id": "W-2"}) + "\n" + json.dumps({**ROG, "graph": 3}) + "\n"
    table, problems = read({"rog.jsonl": lines})
    assert table.reports[0].format == "subgraphs"
    assert sorted(table.facts.rows()) == [FACTS[0], ("Jaws", "in_genre", "Horror")]
    assert [(p.line, p.message) for p in problems] == [(3, "there is no subgraph of [head, relation, tail] lists")]
    assert build_snapshot(table, tmp_path / "g").manifest.duplicates == 0
    frame = pl.DataFrame([ROG])
    assert sorted(read({"rog.parquet": frame})[0].facts.rows()) == sorted(table.facts.rows())
    assert questions(tmp_path, "rog.parquet", frame)[0][0].triples == tuple(map(tuple, ROG["graph"]))
    assert read({"graft.json": json.dumps([GRAFTNET])})[0].facts.rows() == FACTS[:1]


def test_graftnet_questions(tmp_path):
    lines = json.dumps(GRAFTNET) + "\n" + json.dumps({**GRAFTNET, "id": "G-2", "entities": [4]}) + "\n"
    found, problems = questions(tmp_path, "graft.jsonl", lines)
    assert [(q.topic_entities, q.answers, q.triples) for q in found] == [(("Jaws",), ("Spielberg", "m.3"), (FACTS[0],))]
    assert problems[0].message.startswith("the subgraph names entities by number")


def test_grailqa(tmp_path):
    found, problems = questions(tmp_path, "grailqa.json", json.dumps([GRAILQA]))
    (question,) = found
    assert problems == []
    assert (question.id, question.topic_entities, question.answers) == ("2100", ("SpaceX",), ("Merlin", "3"))
    assert question.relation_paths == (("rocket.maker", "rocket.engine"),)
    assert question.hops == 2
    flat = {
        key: [node.get(key) for node in GRAILQA["graph_query"]["nodes"]] for key in GRAILQA["graph_query"]["nodes"][0]
    }
    edges = {key: [edge[key] for edge in GRAILQA["graph_query"]["edges"]] for key in ("start", "end", "relation")}
    answer = {"answer_argument": ["m.1", "3"], "entity_name": ["Merlin", ""]}
    frame = pl.DataFrame([{**GRAILQA, "answer": answer, "graph_query": {"nodes": flat, "edges": edges}}])
    assert questions(tmp_path, "grailqa.parquet", frame)[0] == found


def test_hotpotqa_as_parquet(tmp_path):
    row = {
        "id": "h1",
        "question": "who directed jaws",
        "answer": "Spielberg",
        "context": {"title": ["Jaws", "Hook"], "sentences": [["Jaws is by S."], ["Hook too."]]},
        "supporting_facts": {"title": ["Jaws"], "sent_id": [0]},
    }
    (question,) = questions(tmp_path, "hotpot.parquet", pl.DataFrame([row]))[0]
    assert (question.id, question.answers) == ("h1", ("Spielberg",))
    assert [name.split(" [")[0] for name in question.passages] == ["Jaws"]


def test_a_question_list_is_no_graph(read):
    with pytest.raises(SourceError, match=r"qa\.txt is a question set"):
        read({"qa.txt": "who directed [Jaws]\tSpielberg|A|B\nwho wrote [Hook]\tC|D|E\n"})
    with pytest.raises(SourceError, match="is a question set"):
        read({"pq.txt": "who is a's b ?\tc(c/d/)\ta#b#c#<end>#c\n"})
