"""Files of formats that are not read: what they are, and what can be done."""

import gzip
import pickle

import pytest

from retrieval.errors import SourceError
from retrieval.kg.readers import read_graph, read_preview
from retrieval.kg.readers.other_formats import find_text_format

OTHERS = {
    "a.dump": (b"DZV1" + bytes(60), "a Neo4j dump", "apoc.export.graphml"),
    "dump.gz": (gzip.compress(b"DGV1" + bytes(60)), "a Neo4j dump", "neo4j-admin"),
    "a.gml": (b'Creator "x"\ngraph [\n node [ id 0 ]\n]', "a GML graph", "read_gml('a.gml')"),
    "a.dot": (b"/* x */\nstrict digraph G {\n a -> b;\n}", "a DOT", "graphml"),
    "a.net": (b'*Vertices 2\n1 "a"\n*Edges\n1 2', "a Pajek network", "read_pajek"),
    "a.gdf": (b"nodedef>name VARCHAR\na\n", "a GDF", "Gephi"),
    "a.tgf": (b"1 A\n2 B\n#\n1 2 knows\n", "a TGF graph", "yEd"),
    "a.owl": (b"Prefix(:=<http://x/>)\nOntology(<http://x>\n)", "OWL functional syntax", "Turtle"),
    "a.omn": (b"Prefix: : <http://x/>\nOntology: <http://x>\n", "Manchester syntax", "Turtle"),
    "a.owx": (b'<?xml version="1.0"?>\n<Ontology xmlns="x"></Ontology>', "OWL/XML", "Turtle"),
    "a.sql": (
        b"-- MySQL dump\n/*!40101 SET x */;\nSET a = 0;\nCREATE TABLE `a` (id int);",
        "an SQL dump",
        "CSV",
    ),
    "a.rq": (b"PREFIX x: <http://x/>\nSELECT ?a WHERE { ?a ?b ?c }", "a SPARQL query", "CSV"),
    "a.xml": (b"<?xml version='1.0'?><!-- x --><kml><a/></kml>", "a map (KML)", "CSV"),
    "b.xml": (b"<?xml version='1.0'?><orders><a/></orders>", "outermost element is <orders>", "RDF/XML"),
    "a.csv": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
        "a Git LFS pointer",
        "git lfs pull",
    ),
    "a.pkl": (pickle.dumps({"a": [1]}), "a Python pickle", "can run programs"),
    "a.feather": (b"ARROW1\0\0" + bytes(60), "an Arrow or Feather file", "write_parquet"),
    "a.hdt": (b"$HDT\1" + bytes(60), "an HDT file", "hdt2rdf"),
    "a.mdb": (b"\0\1\0\0Standard Jet DB\0" + bytes(60), "a Microsoft Access database", "CSV"),
    "a.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(60), "a 7z archive", "Unpack"),
    "a.rar": (b"Rar!\x1a\x07\0" + bytes(60), "a RAR archive", "Unpack"),
    "a.jpg": (b"\xff\xd8\xff\xe0" + bytes(60), "an image", "no images"),
    "a.mp3": (b"ID3\x03\0\0\0" + bytes(500), "a binary file (", "CSV"),
    "a.bin": (bytes(range(256)) * 10, "a binary file", "CSV"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_is_not_read_says_what_it_is_and_what_to_do(tmp_path, name):
    content, label, advice = OTHERS[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceError) as error:
        read_graph(path, problems=print)
    assert label in error.value.message
    assert advice in (error.value.hint or "")
    shown = read_preview(path)
    assert (shown.format, shown.rows, shown.refused) == ("", (), True)
    assert label in shown.notes[0]


@pytest.mark.parametrize(
    "text",
    ["ORC,lives in,Moria\n", "BZh,is,a\n", "CREATE,is a,word\n", "Select,is a,word\n", "graph,is a,word\n"],
)
def test_facts_that_begin_like_something_else_are_facts(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    assert len(read_graph(tmp_path / "a.csv", problems=pytest.fail)) == 1


def test_rows_of_many_columns_without_a_header_ask_for_one(tmp_path):
    path = tmp_path / "airports.dat"
    path.write_text('1,"Goroka","Papua",-6.1,"GKA"\n2,"Madang","Papua",-5.2,"MAG"\n')
    with pytest.raises(SourceError) as error:
        read_graph(path, problems=print)
    assert "Rows have 5 columns, and the first row does not name them" in (error.value.hint or "")
    assert read_preview(path).refused


@pytest.mark.parametrize(
    "lines",
    ["<!-- a - b -->\n", "#x    \n", "/* a */ \n", "-- a   \n/* b */ ", "%a   \n", "!a  \n", " ", "1 a b\n"],
)
def test_a_head_of_comments_is_told_without_retrying_them(lines):
    """Would not end in a lifetime if a pattern tried every way to divide the comments."""
    assert find_text_format(lines * 2000 + "Anna\tknows\tBo\n") is None
