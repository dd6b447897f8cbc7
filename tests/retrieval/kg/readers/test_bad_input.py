"""Input that is broken or meant to break: each has a clear end, and what is good beside it goes in."""

import json
import re
import tracemalloc

import pytest

from retrieval.errors import ConfigError, EmptySourceError, SourceError
from retrieval.kg.readers import read_graph, read_preview, sources
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.readers.sources import Source
from retrieval.questions.files import read_questions

GOOD = [("Jaws", "directed_by", "Spielberg"), ("Hook", "in_language", "French")]


@pytest.fixture
def read(tmp_path):
    def reader(content, name):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems = []
        return read_graph(path, problems=problems.append).facts.rows(), problems

    return reader


@pytest.fixture
def short_lines(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 1000)
    monkeypatch.setattr(sources, "LINE_LIMIT", 20_000)
    monkeypatch.setattr("retrieval.kg.readers.json_rows.LINE_LIMIT", 20_000)


LONG = "x" * 1_000_000


def statement(head, relation, tail):
    return f"<http://x/{head}> <http://x/{relation}> <http://x/{tail}> ."


def edge(head, relation, tail):
    return json.dumps({"source": head, "relation": relation, "target": tail})


@pytest.mark.parametrize(
    ("name", "first", "long", "last"),
    [
        ("a.tsv", "\t".join(GOOD[0]), f"a\tr\t{LONG}", "\t".join(GOOD[1])),
        ("b.tsv", "\t".join(GOOD[0]), LONG, "\t".join(GOOD[1])),
        (
            "c.csv",
            "source,relation,target,x\n" + ",".join(GOOD[0]) + ",1",
            f"a,{LONG},b,1",
            ",".join(GOOD[1]) + ",2",
        ),
        ("d.jsonl", edge(*GOOD[0]), edge("a", "r", LONG), edge(*GOOD[1])),
        ("e.nt", statement(*GOOD[0]), statement("a", "r", LONG), statement(*GOOD[1])),
    ],
)
def test_an_endless_line_is_a_bad_row(read, short_lines, name, first, long, last):  # noqa: PLR0917
    rows, problems = read(f"{first}\n{long}\n{last}\n", name)
    assert [(head, relation.rpartition("/")[2], tail) for head, relation, tail in rows] == GOOD
    assert [(p.line, p.message) for p in problems] == [(first.count("\n") + 2, "the line is longer than 0.0190735 MB")]
    assert problems[0].text == long[:200]


def test_an_endless_line_is_never_held(tmp_path, short_lines):
    path = tmp_path / "long.tsv"
    path.write_text(f"a\tr\tb\n{LONG}\n{LONG}")
    said = []
    blocks = list(Source(path).read_blocks(lambda line, *_: said.append(line)))
    assert blocks == [(1, b"a\tr\tb\n\n"), (3, b"\n")]
    assert said == [2, 3]


def test_the_longest_line_that_is_read_is_of_the_limit(tmp_path, short_lines):
    path = tmp_path / "long.tsv"
    path.write_text("\n".join("x" * size for size in (20_000, 20_001, 20_000)))
    said = []
    blocks = list(Source(path).read_blocks(lambda line, *_: said.append(line)))
    assert said == [2]
    assert b"".join(block for _, block in blocks) == b"x" * 20_000 + b"\n\n" + b"x" * 20_000


def test_memory_does_not_grow_with_a_line(tmp_path, short_lines):
    path = tmp_path / "long.tsv"
    with path.open("wb") as file:
        file.write(b"a\tr\tb\n")
        for _ in range(64):
            file.write(b"x" * 2**20)
        file.write(b"\nc\tr\td\n")
    problems = []
    tracemalloc.start()
    try:
        rows = read_graph(path, problems=problems.append).facts.rows()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows == [("a", "r", "b"), ("c", "r", "d")]
    assert [problem.line for problem in problems] == [2]
    assert peak < 2**22


def test_an_endless_item_of_an_array_is_refused(read, short_lines):
    with pytest.raises(SourceError, match=r"An item of a\.json is longer than"):
        read(f"[{edge(*GOOD[0])}, {edge('a', 'r', LONG)}]", "a.json")


def test_an_endless_statement_is_a_bad_row(read):
    first, last = ("<http://x/a> <http://x/r> <http://x/b> .", "<http://x/b> <http://x/r> <http://x/c> .")
    rows, problems = read(f'{first}\n<http://x/a> <http://x/r> "{"x" * (17 << 20)}" .\n{last}\n', "a.nt")
    assert rows == [("a", "http://x/r", "b"), ("b", "http://x/r", "c")]
    assert [(p.line, p.message) for p in problems] == [(2, "the statement is longer than 16 MB")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.tsv",
            "Jaws\tdirected_by\tSpielberg\n" + "pad\tr\tb\n" * 200 + "a\0\tr\tb\nHook\tin_language\tFrench\n",
        ),
        (
            "b.csv",
            "source,relation,target,x\nJaws,directed_by,Spielberg,1\n"
            + "pad,r,b,1\n" * 200
            + "a,r,b\0,1\na,r,b,1\0\nHook,in_language,French,1\n",
        ),
        (
            "c.jsonl",
            "\n".join([edge(*GOOD[0]), *[edge("pad", "r", "b")] * 3, edge("a\0", "r", "b"), edge(*GOOD[1])]),
        ),
        (
            "d.nt",
            '<urn:Jaws> <urn:directed_by> <urn:Spielberg> .\n<urn:a> <urn:r> "nul\\u0000" .\n'
            "<urn:Hook> <urn:in_language> <urn:French> .\n",
        ),
    ],
)
def test_a_nul_character_makes_a_bad_row(read, name, content):
    rows, problems = read(content, name)
    kept = [row for row in rows if row[0] != "pad"]
    assert [(h, t) for h, _, t in kept] == [(h, t) for h, _, t in GOOD]
    assert problems
    assert all("NUL" in p.message for p in problems)
    assert not any("\0" in p.text for p in problems)


def test_a_nul_character_in_a_question_or_passage(tmp_path):
    path = tmp_path / "q.jsonl"
    rows = [{"question": "a\0?"}, {"question": "b?", "answers": ["\0"]}, {"question": "c?", "answers": ["C"]}]
    path.write_text("\n".join(map(json.dumps, rows)))
    problems = []
    assert [q.question for q in read_questions(path, problems=problems.append)] == ["c?"]
    assert [p.line for p in problems] == [1, 2]
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": "p", "text": "one\0two", "triples": [["a\0", "r", "b"]]}))
    table = read_graph(path, problems=problems.append)
    assert table.passages["text"].to_list() == ["onetwo"]
    assert len(table) == 0


FIRST, LAST = "<http://x/a> <http://x/r> <http://x/b>", "<http://x/b> <http://x/r> <http://x/c>"
BROKEN = {
    "an IRI that does not end": "<http://x/a> <http://x/r> <http://x/oops .",
    "a literal that does not end": '<http://x/a> <http://x/r> "oops .',
    "words": "this is no statement",
    "two terms": "<http://x/a> <http://x/r> .",
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize(("name", "end"), [("a.nt", " ."), ("a.nq", " <http://x/g> .")])
def test_a_broken_statement_in_the_middle_takes_nothing_with_it(read, broken, name, end):
    rows, problems = read(f"{FIRST}{end}\n{broken}\n{LAST}{end}\n{FIRST}{end} extra\n", name)
    assert rows == [("a", "http://x/r", "b"), ("b", "http://x/r", "c")]
    assert [p.line for p in problems] == [2, 4]
    assert problems[0].text == broken
    assert not any(re.search(r"line \d|column", p.message) for p in problems)


def test_a_broken_statement_of_turtle_is_named_and_reading_goes_on(read):
    good = "<http://x/c> <http://x/r> <http://x/d> .\n" * 3
    rows, problems = read(f"@prefix : <http://x/> .\n:a :r :b .\n:a oops :c .\n{good}", "a.ttl")
    assert ("a", "http://x/r", "b") in rows
    assert ("c", "http://x/r", "d") in rows
    assert [p.line for p in problems] == [3]


def test_broken_rdf_xml_keeps_what_came_before_and_says_so(read):
    one = '<rdf:Description rdf:about="http://x/a"><r xmlns="http://x/" rdf:resource="http://x/b"/></rdf:Description>'
    rows, problems = read(
        f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n{one}\n<oops>\n{one}', "a.rdf"
    )
    assert rows == [("a", "http://x/r", "b")]
    assert "nothing after it was read" in problems[0].message


def test_lines_of_another_encoding_are_named_in_every_format(read):
    latin = "caf\xe9".encode("latin-1")
    tab = b"\t".join(s.encode() for s in GOOD[0])
    for name, content in {
        "a.tsv": tab + b"\n" + latin + b"\tr\tb\n",
        "b.csv": b"source,relation,target,x\nJaws,directed_by,Spielberg,1\n" + latin + b",r,b,1\n",
        "c.jsonl": edge(*GOOD[0]).encode() + b'\n{"source": "' + latin + b'", "relation": "r", "target": "b"}\n',
        "d.nt": b'<urn:a> <urn:r> <urn:b> .\n<urn:a> <urn:r> "' + latin + b'" .\n',
    }.items():
        rows, problems = read(content, name)
        rows, problems = read(b"\xef\xbb\xbf" + content, name)  # the mark says that it is UTF-8
        assert len(rows) == 1, name
        assert [p.kind for p in problems] == ["encoding"], name


def test_json_that_is_nested_too_deeply(read, tmp_path):
    deep = "[" * 100_000
    rows, problems = read(f'{edge(*GOOD[0])}\n{{"source": {deep}\n{edge(*GOOD[1])}\n', "a.jsonl")
    assert rows == GOOD
    assert [(p.line, p.message) for p in problems] == [(2, "JSON that is nested more than 100 deep")]
    with pytest.raises(SourceError, match="nested more than 100 deep"):
        read(f"[{edge(*GOOD[0])}, {deep}", "a.json")
    assert "nested more than 100 deep" in read_preview(tmp_path / "a.json").notes[0]


def test_text_that_is_not_of_the_encoding_named(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a\tr\tb\n")
    with pytest.raises(SourceError, match="is not text in utf-16"):
        read_graph(path, ReadOptions(encoding="utf-16"), problems=pytest.fail)
    assert "is not text in utf-16" in read_preview(path, options=ReadOptions(encoding="utf-16")).notes[0]
    for name in ("klingon", "rot13", "hex"):
        with pytest.raises(ConfigError, match=f"'{name}' is unknown"):
            read_graph(path, ReadOptions(encoding=name), problems=pytest.fail)


def test_a_file_of_blanks_is_empty(read):
    with pytest.raises(EmptySourceError):
        read(b"\r\x1f \n", "a.tsv")


def test_attributes_that_are_nested_too_deeply(read):
    deep = "[" * 50_000
    rows, problems = read(f"source,relation,target,attributes\na,r,b,{deep}\nJaws,by,S,{{}}\n", "edges.csv")
    assert rows == [("Jaws", "by", "S")]
    assert [p.line for p in problems] == [2]


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"id": "p", "text": "fine \U0001f600"}, {"id": "q", "text": "half \ud800"}),
        ({"question": "?", "graph": [["a", "r", "b"]]}, {"question": "?", "graph": [["a", "\ud800", "b"]]}),
        (
            {"source": "a", "relation": "r", "target": "b"},
            {"source": "\ud800", "relation": "r", "target": "b"},
        ),
    ],
)
def test_half_a_character_is_no_text(tmp_path, good, bad):
    for name, content in {
        "a.jsonl": f"{json.dumps(good)}\n{json.dumps(bad)}\n",
        "a.json": json.dumps([good, bad]),
    }.items():
        path = tmp_path / name
        path.write_text(content)
        problems = []
        table = read_graph(path, problems=problems.append)
        assert len(table) + (0 if table.passages is None else table.passages.height) == 1
        assert [(p.line, p.message, p.kind) for p in problems] == [(2, "not Unicode text", "encoding")]
