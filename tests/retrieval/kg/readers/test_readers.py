"""Readers: good rows go in, bad rows are named by file and line, hopeless files are refused with a reason."""

import gzip

import pytest

from retrieval.errors import ConfigError, EmptySourceError, SourceError
from retrieval.kg import readers
from retrieval.kg.build import build_snapshot
from retrieval.kg.readers.problems import PROBLEM_LIMIT

TRIPLES = [("Jaws", "directed_by", "Steven Spielberg"), ("Hook", "in_language", "French")]


@pytest.fixture
def read(tmp_path):
    def reader(content, name="kb.txt", progress=None, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems = []
        table = readers.read_graph(path, readers.ReadOptions(**options), problems=problems.append, progress=progress)
        return table, problems

    return reader


def rows(table):
    return table.facts.rows()


@pytest.mark.parametrize("mark", ["\t", "|", ",", ";"])
@pytest.mark.parametrize("header", [None, ("subject", "Predicate", "object"), ("head", "relation", "tail")])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_delimiter_header_and_compression_are_found_out(read, mark, header, pack):
    lines = [mark.join(row) for row in ([header] if header else []) + TRIPLES]
    table, problems = read(pack("\r\n".join(lines).encode()))
    assert rows(table) == TRIPLES
    assert problems == []
    assert table.sources == ("kb.txt",)


def test_delimiter_and_header_may_be_given(read):
    assert rows(read("a|b\tc|d\te\nx\ty\tz|w\n", delimiter="tab")[0]) == [
        ("a|b", "c|d", "e"),
        ("x", "y", "z|w"),
    ]
    assert rows(read("a:b:c\n", delimiter=":")[0]) == [("a", "b", "c")]
    assert rows(read("x,y,z\na,b,c\n", header=True)[0]) == [("a", "b", "c")]
    assert rows(read("head,relation,tail\na,b,c\n", header=False)[0])[0] == ("head", "relation", "tail")
    assert rows(read("a|b|c\n", format="psv")[0]) == [("a", "b", "c")]
    with pytest.raises(ConfigError, match="not one character"):
        read("a::b::c\n", delimiter="::")
    with pytest.raises(ConfigError, match="'xls'"):
        read("a,b,c\n", format="xls")


def test_commas_may_be_quoted(read):
    table, problems = read('"Hello, Dolly!",directed_by,Gene Kelly\nA,"said ""hi""",B\n"open,x,y\nC,d,E\n')
    assert sorted(rows(table)) == [
        ("A", 'said "hi"', "B"),
        ("C", "d", "E"),
        ("Hello, Dolly!", "directed_by", "Gene Kelly"),
    ]
    assert [(p.line, p.message.split(" (")[0]) for p in problems] == [(3, "broken quoting")]


def test_bad_rows_are_named_by_file_and_line(read):
    content = b"\n".join(
        [
            b"\xef\xbb\xbfJaws\tdirected_by\tSteven Spielberg",
            b"only two\tcolumns",
            b"",
            b"one\ttwo\tthree\tfour",
            b"Jaws\t \tSomebody",
            b"caf\xe9\tserves\tcoffee",
            b"  Hook \tin_language\tFrench  ",
            b"x" * 5000 + b"\tis\tlong",
            b"nul\0\tis\tbad",
        ]
    )
    table, problems = read(content)
    assert rows(table) == TRIPLES
    assert table.problems == 6
    assert {p.file for p in problems} == {"kb.txt"}
    assert {p.line: p.message for p in problems} == {
        2: "2 columns found, 3 needed: head, relation, tail",
        4: "4 columns found, 3 needed: head, relation, tail",
        5: "the relation is empty",
        6: "not UTF-8 text (byte 4 of the line)",
        8: "the head is longer than 4096 bytes",
        9: "the head holds a NUL character",
    }
    assert max(len(p.text) for p in problems) == 200


def test_many_bad_rows_are_counted_not_listed(read):
    table, problems = read("a\tb\tc\n" + "bad\n" * (PROBLEM_LIMIT + 5), delimiter="tab")
    assert len(table) == 1
    assert table.problems == PROBLEM_LIMIT + 5
    assert len(problems) == PROBLEM_LIMIT + 1
    assert (problems[-1].line, problems[-1].message) == (0, "5 more rows of this file could not be used")


def test_line_numbers_hold_across_blocks(read, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.sources.BLOCK", 64)
    table, problems = read("".join(f"e{i}\tr\te{i + 1}\n" if i != 37 else "bad\n" for i in range(50)))
    assert len(table) == 49
    assert [p.line for p in problems] == [38]


def test_no_good_row_is_refused_with_the_reason(read):
    with pytest.raises(EmptySourceError, match=r"line 1: 1 column found.*Check the format"):
        read("this is\nprose\nand nothing else\n", format="delimited")
    with pytest.raises(EmptySourceError, match=r"kb.txt has no text"):
        read("")
    with pytest.raises(EmptySourceError, match="empty"):
        read(gzip.compress(b"  \n"), format="delimited")
    with pytest.raises(EmptySourceError, match="holds no fact"):
        read("head\trelation\ttail\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"a\tb\tc\n" * 50_000, mtime=0)[:-400], "broken gzip"),
        (gzip.compress(b"a\tb\tc\n", mtime=0)[:8], "broken gzip"),
        (b"\x1f\x8b" + b"nonsense" * 20, "broken gzip"),
        (bytes(range(256)) * 40, "binary"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "an image"),
        (b"%PDF-1.7 ...", "a damaged PDF"),
        (b"PK\x03\x04....", "broken archive"),
        (b"<!DOCTYPE html><html></html>", "no text"),
        (b'{"question": "who?", "answers": []}', "JSON"),
    ],
)
def test_hopeless_files_are_refused(read, content, said):
    with pytest.raises(SourceError, match=said) as caught:
        read(content)
    assert caught.value.hint


def test_missing_file(tmp_path):
    with pytest.raises(SourceError, match="cannot be opened"):
        readers.read_graph(tmp_path / "none.txt", problems=pytest.fail)


def test_several_files_make_one_table(tmp_path):
    (tmp_path / "a.csv").write_text("a,r,b\n")
    (tmp_path / "b.tsv").write_text("b\tr\tc\n")
    (tmp_path / "c.nt").write_text("<http://x/b> <http://x/r> <http://x/d> .\n")
    table = readers.read_graph([tmp_path / n for n in ("a.csv", "b.tsv", "c.nt")], problems=pytest.fail)
    assert rows(table) == [("a", "r", "b"), ("b", "r", "c"), ("b", "http://x/r", "d")]
    assert table.sources == ("a.csv", "b.tsv", "c.nt")


def test_progress_is_told(read):
    seen = []
    read("a\tb\tc\n", progress=seen.append)
    assert [(p.stage, p.done, p.total) for p in seen] == [("reading", 6, 6)]


RDF = {
    "ntriples": """\
<http://ex.org/Q90> <http://www.w3.org/2000/01/rdf-schema#label> "Paris"@en .
<http://ex.org/Q90> <http://www.w3.org/2000/01/rdf-schema#label> "Parigi"@it .
<http://ex.org/Q90> <http://ex.org/capitalOf> <http://ex.org/New_France> .
<http://ex.org/Q90> <http://ex.org/population> "2100000"^^<http://www.w3.org/2001/XMLSchema#integer> .
""",
    "turtle": """\
@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Q90 rdfs:label "Paris"@en, "Parigi"@it ; :capitalOf :New_France ; :population 2100000 .
""",
    "rdfxml": """\
<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://ex.org/"
         xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
 <rdf:Description rdf:about="http://ex.org/Q90">
  <rdfs:label xml:lang="en">Paris</rdfs:label><rdfs:label xml:lang="it">Parigi</rdfs:label>
  <capitalOf rdf:resource="http://ex.org/New_France"/><population>2100000</population>
 </rdf:Description></rdf:RDF>
""",
    "jsonld": """\
{"@context": {"@vocab": "http://ex.org/", "label": "http://www.w3.org/2000/01/rdf-schema#label"},
 "@id": "http://ex.org/Q90", "label": [{"@value": "Paris", "@language": "en"},
 {"@value": "Parigi", "@language": "it"}], "capitalOf": {"@id": "http://ex.org/New_France"},
 "population": 2100000}
""",
}
RDF["nquads"] = RDF["ntriples"].replace(" .\n", " <http://ex.org/graph> .\n")


@pytest.mark.parametrize("fmt", sorted(RDF))
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("given", [True, False])
def test_every_rdf_format_gives_the_same_graph(read, tmp_path, fmt, pack, given):
    table, problems = read(pack(RDF[fmt].encode()), "data.txt", format=fmt if given else None)
    assert problems == []
    graph = build_snapshot(table, tmp_path / "g")
    hops = {(h.source.label, h.step.label, h.target.label) for h in map(graph.get_hop, range(graph.num_triples))}
    assert hops == {("Paris", "capital of", "New France"), ("Paris", "population", "2100000")}
    paris = graph.find_entity("Paris")
    assert graph.get_entity_iri(paris) == "http://ex.org/Q90"
    assert graph.get_kind(paris) == "entity"
    assert graph.get_kind(graph.find_entity("2100000")) == "literal"
    assert graph.get_entity_iri(graph.find_entity("2100000")) == ""
    assert [m.node.label for m in graph.labels.find_exact("parigi")] == ["Paris"]


def test_names_that_clash_are_told_apart(read, tmp_path):
    table, _ = read(
        """\
@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Q90 rdfs:label "Paris" ; :in :France . :Q830 rdfs:label "Paris" ; :in :Texas .
:France :slogan "Texas" . :knows rdfs:label "is acquainted with" . :Q90 :knows :Q830 .
<http://other.org/France> :in :Texas . :alone rdfs:label "Nowhere" . :Q90 :near [ :is :Texas ] .
""",
        "x.ttl",
    )
    graph = build_snapshot(table, tmp_path / "g")
    labels = set(graph.entity_labels)
    assert labels == {
        "Paris (Q90)",
        "Paris (Q830)",
        "France (http://ex.org/France)",
        "France (http://other.org/France)",
        "Texas",
        '"Texas"',
        "Nowhere",
        "_:x.1",
    }
    assert graph.get_kind(graph.find_entity('"Texas"')) == "literal"
    assert graph.get_kind(graph.find_entity("_:x.1")) == "cvt"
    assert graph.get_degree(graph.find_entity("Nowhere")) == 0
    assert graph.get_relation_label(graph.find_relation("http://ex.org/knows")) == "is acquainted with"
    assert {m.node.label for m in graph.labels.find_exact("paris")} == {"Paris (Q90)", "Paris (Q830)"}


def test_bad_statements_are_named_and_the_rest_read(read):
    good = "<http://x/a> <http://x/r> <http://x/b> .\n"
    table, problems = read(good + "<http://x/a> oops .\n" + good.replace("b", "c"), "d.nt")
    assert rows(table) == [("a", "http://x/r", "b"), ("a", "http://x/r", "c")]
    assert [(p.file, p.line) for p in problems] == [("d.nt", 2)]
    table, problems = read(RDF["turtle"] + ":x no: :y .\n:Q90 :twin :Q91 .", "d.ttl")
    assert len(table) == 3
    assert [p.line for p in problems] == [3]
    table, problems = read(RDF["rdfxml"].replace("</rdf:Description>", "<broken"), "d.rdf")
    assert len(table) == 2
    assert "nothing after it was read" in problems[0].message


def test_rdf_that_is_none_is_refused(read):
    with pytest.raises(EmptySourceError, match=r"No row of d\.nt"):
        read("just\nprose\n", "d.nt")
    with pytest.raises(SourceError, match="broken"):
        read(gzip.compress(RDF["ntriples"].encode() * 2000)[:-100], "d.nt")
    with pytest.raises(EmptySourceError):
        read("<notxml", "d.rdf")


CARRIAGE_RETURNS = {
    "a.tsv": "Jaws\tby\tSpielberg\rHook\tby\tSpielberg\r",
    "a.csv": "head,relation,tail\rJaws,by,Spielberg\rHook,by,Spielberg\r",
    "edges.csv": 'Source,Target,Type,Label,Note\rJaws,Spielberg,Directed,by,"a\nb"\rHook,Spielberg,Directed,by,\r',
    "a.jsonl": '{"source": "Jaws", "relation": "by", "target": "Spielberg"}\r'
    '{"source": "Hook", "relation": "by", "target": "Spielberg"}\r',
    "a.nt": "<http://x/Jaws> <http://x/by> <http://x/Spielberg> .\r"
    "<http://x/Hook> <http://x/by> <http://x/Spielberg> .\r",
}


@pytest.mark.parametrize("name", CARRIAGE_RETURNS)
@pytest.mark.parametrize("packed", [False, True])
def test_lines_may_end_in_a_carriage_return_alone(tmp_path, name, packed):
    content = CARRIAGE_RETURNS[name].encode()
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)
    facts = readers.read_graph(path, problems=pytest.fail).facts.rows()
    assert [(head, relation.removeprefix("http://x/"), tail) for head, relation, tail in facts] == [
        ("Jaws", "by", "Spielberg"),
        ("Hook", "by", "Spielberg"),
    ]
    assert len(readers.read_preview(path).rows) == 2


def test_a_table_may_end_its_lines_in_carriage_returns_and_hold_line_feeds(tmp_path):
    path = tmp_path / "films.csv"
    path.write_bytes(b'Name,Year,Note\rJaws,1975,"two\nlines"\rHook,1991,none\r')
    table = readers.read_graph(path, problems=pytest.fail)
    assert {row for row in table.node_attributes.rows() if row[1] == "Year"} == {
        ("Jaws", "Year", "1975"),
        ("Hook", "Year", "1991"),
    }
