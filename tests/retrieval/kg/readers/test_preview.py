"""A look at a file before it is imported: the guess, what it shows, and that an import reads the same."""

import gzip
import json

import pytest

from retrieval.errors import ConfigError, SourceError
from retrieval.kg.readers import preview_sample, read_graph, read_preview
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.table import ROW
from retrieval.questions import preview_questions

FACTS = [("Jaws", "directed_by", "Spielberg"), ("Hook", "in_language", "French")]


@pytest.fixture
def look(tmp_path):
    def looker(content, name="kb.txt", preview=read_preview, **options):
        # As an upload lies: under another name than its owner's.
        path = tmp_path / "upload"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return preview(path, name, ReadOptions(**options))

    return looker


@pytest.mark.parametrize("mark", ["\t", "|", ",", ";"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_table_of_three_columns(look, mark, pack):
    text = "\n".join(mark.join(row) for row in [("subject", "predicate", "object"), *FACTS])
    found = look(pack(text.encode()))
    assert (found.name, found.kind, found.format) == ("kb.txt", "graph", "delimited")
    assert (found.delimiter, found.header, found.encoding) == (mark, True, "utf-8")
    assert found.columns == {"head": 0, "relation": 1, "tail": 2}
    assert found.header_cells == ("subject", "predicate", "object")
    assert found.titles == ("head", "relation", "tail")
    assert found.rows == tuple(FACTS)
    assert found.raw == tuple(text.split("\n"))
    assert "property-csv" in found.alternatives
    assert found.notes == found.problems == ()


def test_more_columns_are_guessed_by_name_and_corrected_by_position(look, tmp_path):
    text = "id,object,weight,subject,predicate\n1,Spielberg,0.5,Jaws,directed_by\n"
    found = look(text, "facts.csv", format="csv")
    assert found.format == "property-csv"  # columns beside the facts are attributes of them
    plain = look("1\tSpielberg\t0.5\tJaws\tdirected_by\n2\tFrench\t1\tHook\tin_language\n")
    assert plain.columns == {"head": 0, "relation": 1, "tail": 2}
    assert plain.notes == (
        "Rows have 5 columns, and the first row does not name them. Choose which are head, relation and tail, or the"
        " format table; a first line with the names of the columns makes a table that says more.",
    )
    assert plain.rows == ()
    assert plain.header_cells == ("column 1", "column 2", "column 3", "column 4", "column 5")
    right = {"head": 3, "relation": 4, "tail": 1}
    corrected = look("1\tSpielberg\t0.5\tJaws\tdirected_by\n2\tFrench\t1\tHook\tin_language\n", columns=right)
    assert corrected.rows == tuple(FACTS)
    table = read_graph(tmp_path / "upload", ReadOptions(columns=right), problems=pytest.fail)
    assert table.facts.rows() == FACTS


def test_columns_may_be_named_by_the_header(tmp_path):
    path = tmp_path / "kb.csv"
    path.write_text("tgt,kind,src\nSpielberg,directed_by,Jaws\n")
    named = {"head": "src", "relation": "Kind", "tail": "tgt"}
    assert read_graph(path, ReadOptions(columns=named), problems=pytest.fail).facts.rows() == FACTS[:1]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"head": 0, "tail": 1}, "given for head, tail"),
        ({"head": 0, "relation": 1, "tail": 5}, "no column 5 for the tail"),
        ({"head": "nothing", "relation": 1, "tail": 2}, "no column 'nothing'"),
        ({"head": 0, "relation": 0, "tail": 2}, "the same column"),
    ],
)
def test_columns_that_do_not_fit_are_refused(look, columns, said):
    with pytest.raises(ConfigError, match=said):
        look("a\tb\tc\n", columns=columns)


def test_an_encoding_is_guessed_shown_and_used(look, tmp_path):
    text = "Amélie\tdirigé_par\tJean-Pierre Jeunet\nL'Été\tréalisé\tà Paris où né\n" * 5
    found = look(text.encode("cp1252"))
    assert found.encoding != "utf-8"
    assert found.rows[0] == ("Amélie", "dirigé_par", "Jean-Pierre Jeunet")
    assert "not UTF-8" in found.notes[0]
    table = read_graph(tmp_path / "upload", ReadOptions(encoding=found.encoding), problems=pytest.fail)
    assert table.facts.rows()[0] == ("Amélie", "dirigé_par", "Jean-Pierre Jeunet")
    assert table.reports[0].encoding == found.encoding
    wide = look(text.encode("utf-16"))
    assert wide.encoding == "utf-16"
    assert wide.rows[1] == ("L'Été", "réalisé", "à Paris où né")
    with pytest.raises(ConfigError, match="'klingon'"):
        look(text, encoding="klingon")


def test_a_few_lines_of_another_encoding_are_left_out_by_name(look, tmp_path):
    content = "".join(f"é{i}\tr\tb\n" for i in range(20)).encode() + "café\tserves\tthé\n".encode("latin-1")
    found = look(content)
    assert found.encoding == "utf-8"
    assert found.notes[0].startswith("1 line is not UTF-8")
    assert [(p.file, p.line, p.kind) for p in found.problems] == [("kb.txt", 21, "encoding")]
    problems = []
    table = read_graph(tmp_path / "upload", problems=problems.append)
    assert len(table) == 20
    assert [(p.line, p.kind) for p in problems] == [(21, "encoding")]


@pytest.mark.parametrize(
    ("file", "fmt", "titles", "row"),
    [
        (
            ("a.nt", "<http://e/a> <http://e/born> <http://e/b> .\n"),
            "ntriples",
            ("head", "relation", "tail"),
            ("a", "born", "b"),
        ),
        (
            ("n.jsonl", '{"id": 1, "name": "A", "type": "Person"}\n'),
            "property-jsonl",
            ("node", "attribute", "value"),
            ("A", "type", "Person"),
        ),
        (
            ("p.jsonl", '{"id": "p1", "text": "Jaws is by S."}\n'),
            "passages",
            ("name", "title", "text"),
            ("p1", "", "Jaws is by S."),
        ),
        (
            ("d.md", "# Jaws\n\nJaws is a film.\n"),
            "markdown",
            ("name", "title", "text"),
            ("d.md#1", "d – Jaws", "Jaws is a film."),
        ),
        (
            ("nodes.csv", "name,type,attributes\nA,Person,{}\n"),
            "property-csv",
            ("node", "attribute", "value"),
            ("A", "type", "Person"),
        ),
    ],
)
def test_other_formats(look, file, fmt, titles, row):
    name, content = file
    found = look(content, name)
    assert (found.format, found.titles, found.rows) == (fmt, titles, (row,))


def test_only_the_first_part_of_a_large_file_is_read(look, monkeypatch):
    monkeypatch.setattr(preview_sample, "SAMPLE", 200)
    lines = "".join(f"entity {i}\tr\tb{i}\n" for i in range(1000))
    found = look(lines)
    assert 5 < len(found.rows) < 20
    assert found.problems == ()
    # A line that is longer than the first part is read whole.
    wide = json.dumps({"source": "a", "relation": "r", "target": "b", "x": "y" * 500})
    assert look(wide + "\n" + "{}\n" * 9).rows == (("a", "r", "b"),)
    items = "[" + ", ".join(f'{{"source": "a{i}", "relation": "r", "target": "b{i}"}}' for i in range(500)) + "]"
    found = look(items, "edges.json")
    assert found.format == "property-jsonl"
    assert found.rows[:2] == (("a0", "r", "b0"), ("a1", "r", "b1"))
    assert found.problems == ()


def test_what_cannot_be_read_says_why(look, tmp_path):
    assert look(b"\x89PNG\r\n\x1a\n" + b"\0" * 50).notes[0].startswith("kb.txt is an image")
    found = look("only\ttwo\n")
    assert any("three columns" in note for note in found.notes)
    assert found.raw == ("only\ttwo",)
    with pytest.raises(SourceError, match="cannot be opened"):
        read_preview(tmp_path / "nothing")
    with pytest.raises(ConfigError, match="'xls'"):
        look("a\tb\tc\n", format="xls")


def test_question_sets(look):
    found = look("who directed [Jaws]\tSpielberg|Someone\n", "2-hop/qa.txt", preview=preview_questions)
    assert (found.kind, found.format) == ("questions", "metaqa")
    assert found.titles == ("question", "topics", "answers")
    assert found.rows == (("who directed Jaws", "Jaws", "Spielberg; Someone"),)
    assert "jsonl" in found.alternatives
    said = look("nothing of the kind\n", "qa.txt", preview=preview_questions).notes[0]
    assert "could not be recognised as a question set" in said


AIRPORTS = (
    '"Goroka Airport",1,"Papua New Guinea",-6.1,"GKA"\n'
    '"Nuuk Airport",2,"Greenland",64.2,\\N\n'
    '"Wewak Airport",5,"Papua New Guinea",-3.6,"WWK"\n'
)


def test_rows_without_a_header_are_a_table_where_the_first_is_data_like_the_others(look, tmp_path):
    found = look(AIRPORTS, "airports.dat")
    assert (found.format, found.delimiter, found.header, found.refused) == ("table", ",", False, False)
    assert found.header_cells == ("column 1", "column 2", "column 3", "column 4", "column 5")
    assert "delimited" in found.alternatives
    path = tmp_path / "airports.dat"
    path.write_text(AIRPORTS)
    table = read_graph(path, problems=pytest.fail)
    assert {row for row in table.node_attributes.rows() if row[1] != ROW} == {
        ("Goroka Airport", "type", "airport"),
        ("Goroka Airport", "column 2", "1"),
        ("Goroka Airport", "column 3", "Papua New Guinea"),
        ("Goroka Airport", "column 4", "-6.1"),
        ("Goroka Airport", "column 5", "GKA"),
        ("Nuuk Airport", "type", "airport"),
        ("Nuuk Airport", "column 2", "2"),
        ("Nuuk Airport", "column 3", "Greenland"),
        ("Nuuk Airport", "column 4", "64.2"),
        ("Wewak Airport", "type", "airport"),
        ("Wewak Airport", "column 2", "5"),
        ("Wewak Airport", "column 3", "Papua New Guinea"),
        ("Wewak Airport", "column 4", "-3.6"),
        ("Wewak Airport", "column 5", "WWK"),
    }


def test_whether_a_table_has_a_header_can_be_said_either_way(look):
    said = look(AIRPORTS, "airports.dat", format="table", header=True)
    assert (said.header, said.header_cells[0]) == (True, "Goroka Airport")
    words = "Ann,Oslo\nBob,Rome\n"
    assert look(words, "a.csv", format="table").header_cells == ("Ann", "Oslo")
    said = look(words, "a.csv", format="table", header=False)
    assert (said.header, said.header_cells) == (False, ("column 1", "column 2"))
    assert ("Ann", "column 2", "Oslo") in said.rows


@pytest.mark.parametrize(
    ("line", "fmt"),
    [
        ("Ann,Oslo,{n}\n", "delimited"),
        ("Ann {n}\tlives in\tOslo\t0.{n}\n", "delimited"),
        ("Ann {n},Oslo,teacher,Norway\n", "table"),
        ("{n},2,3,4\n", "table"),
    ],
)
def test_facts_without_a_header_stay_facts(look, line, fmt):
    assert look("".join(line.format(n=n) for n in (1, 5, 3, 9)), "a.dat").format == fmt
