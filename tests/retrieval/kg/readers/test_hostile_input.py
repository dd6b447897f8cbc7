"""Small files that once took minutes or gigabytes: each is read, or refused by name, at once.

None of these tests measures a speed: the ceiling of 20 s is a tenth of what any of the files would take by the old way
(several minutes to never) and a hundred times what it takes now.
"""

from __future__ import annotations

import gzip
import io
import time
import zipfile

import polars as pl
import pytest

from retrieval.errors import ConfigError, SourceError
from retrieval.kg.readers import nesting, read_graph, read_preview
from retrieval.kg.readers.documents.markup import Page
from retrieval.kg.readers.documents.plain import clean_markdown
from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.kg.readers.nesting import CheckedXml, Levels
from retrieval.kg.readers.options import ReadOptions

RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">{}</rdf:RDF>'
CEILING_S = 20.0


@pytest.fixture(autouse=True)
def at_once():
    began = time.monotonic()
    yield
    assert time.monotonic() - began < CEILING_S


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_a_text_of_points_is_read(written, name):
    path = written(name, "Hello there. " + "." * 60_000)
    assert read_preview(path).rows[0][2].startswith("Hello there.")
    found = read_graph(path, problems=pytest.fail).passages["text"].to_list()
    assert "".join(found).count(".") == 60_001


@pytest.mark.parametrize(
    "text",
    [
        "." * 200_000,
        "a. " * 60_000,
        '."' * 60_000,
        "\n " * 60_000,
        "!?)" * 60_000,
        "… " * 60_000,
        "。" * 60_000,
    ],
    ids=repr,
)
def test_sentences_are_told_in_one_pass(text):
    spans = split_sentences(text)
    assert sum(end - start for start, end in spans) >= len("".join(text.split())) if spans else not text.strip()


@pytest.mark.parametrize(
    "line",
    [
        "*a " * 20_000,
        "`a **b __c " * 6000,
        "[" * 60_000,
        "[a](" * 15_000,
        f"[]({' ' * 60_000}",
        f"# {' ' * 60_000}x",
    ],
    ids=lambda line: line[:12],
)
def test_a_line_of_markdown_is_read_in_one_pass(written, line):
    assert clean_markdown(line)
    assert read_preview(written("a.md", f"{line}\n\nEnd.")).rows


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a *b* c", "a b c"),
        ("**bold** and ***both***", "bold and both"),
        ("`code` __strong__", "code strong"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("[x](y) *z", "x *z"),
    ],
)
def test_marks_of_emphasis_go_where_they_come_in_pairs(line, shown):
    assert clean_markdown(line) == shown


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="' * 20_000,
        "<a href=" * 20_000,
        "<a b='\"" * 20_000,
        "<!--" * 20_000,
        "<![CDATA[" * 20_000,
        "</a" * 20_000,
        "<script>" + "</script" * 20_000,
        "<nav>" * 50_000 + "</p>" * 50_000,
        "<p>&#" + "1" * 200_000,
        "<title>" * 50_000,
        "&" * 200_000,
    ],
    ids=lambda markup: markup[:12],
)
def test_markup_that_never_closes_is_read_in_one_pass(markup):
    page = Page()
    for start in range(0, len(markup), 100_000):
        page.read_piece(markup[start : start + 100_000])
    page.take_last_blocks()
    page = Page()
    page.read_piece("<p>Before.</p>" + markup)
    assert page.take_last_blocks()[0].text == "Before."


def test_a_number_that_is_no_character_does_not_break_the_page(written):
    assert read_preview(written("a.html", f"<p>a&#{'1' * 5000};b&#x41;&#xD800;</p>")).rows[0][2] == "a\ufffdbA\ufffd"


def test_a_page_is_the_same_however_it_comes():
    markup = (
        '<html><head><title>A &amp; B</title><link rel=canonical href="http://x/?a=1&amp;b=2"><style>p{}</style></head>'
        "<body><h1 class='x>y'>One</h1><p>Text &lt;3 a<b and 1 < 2.<br/>Second&nbsp;line<!-- <p>no</p> --></p>"
        "<script>if (a</b) document.write('</p>')</script ><td>c</td></body></html>"
    )
    seen = set()
    for size in (1, 2, 3, 7, 50, 10_000):
        page = Page()
        blocks = []
        for start in range(0, len(markup), size):
            page.read_piece(markup[start : start + size])
            blocks += page.take_blocks()
        blocks += page.take_last_blocks()
        seen.add((page.title, page.url, tuple((b.text, b.section) for b in blocks)))
    assert seen == {("A & B", "http://x/?a=1&b=2", (("Text <3 aSecond line", ("One",)), ("c", ("One",))))}


# --- depth and width --------------------------------------------------------------------------------------


def nested(levels):
    return '{"@id":"http://x/0","http://x/p":' * levels + '"a"' + "}" * levels


def test_json_ld_may_be_a_hundred_deep_and_no_deeper(written):
    assert len(read_graph(written("a.jsonld", nested(100)), problems=pytest.fail)) == 100
    for levels in (101, 8000):
        with pytest.raises(SourceError, match="nested more than 100 deep"):
            read_graph(written("a.jsonld", nested(levels)), problems=pytest.fail)
        assert "nested more than 100 deep" in read_preview(written("b.jsonld", nested(levels))).notes[0]


def test_rdf_xml_may_be_a_hundred_deep_and_no_deeper(written):
    def deep(pairs):
        return RDF.format("<rdf:Description><x:p>" * pairs + "v" + "</x:p></rdf:Description>" * pairs)

    assert len(read_graph(written("a.rdf", deep(49)), problems=pytest.fail)) == 49
    for pairs in (50, 100_000):
        with pytest.raises(SourceError, match="elements more than 100 deep"):
            read_graph(written("a.rdf", deep(pairs)), problems=pytest.fail)
    assert "elements more than 100 deep" in read_preview(written("a.rdf", deep(100_000))).notes[0]


def test_an_element_of_endless_attributes_is_refused(written):
    for wide in ("x:p{0}='v'", "xmlns:n{0}='http://x/{0}/'"):
        attributes = " ".join(wide.format(i) for i in range(50_000))
        with pytest.raises(SourceError, match="more than 1,000 attributes"):
            read_graph(written("a.rdf", RDF.format(f"<rdf:Description {attributes}/>")), problems=pytest.fail)


def test_json_is_counted_the_same_however_it_comes():
    text = b'{"a\\\\": ["]]]]", "\\"[[[[", {"b": [[]]}], "c": "\\\\"}'
    for size in (1, 2, 3, 5, len(text)):
        levels = Levels()
        for start in range(0, len(text), size):
            levels.add(text[start : start + size])
        assert levels._depth == 0
        assert levels.deepest <= nesting.DEPTH
    assert not nesting.is_deep(b'"' + b"[" * 1000 + b'"')
    assert nesting.is_deep(b"[" * 101)
    assert not nesting.is_deep(b"[]" * 1000)


def test_xml_ends_where_it_breaks():
    checked = CheckedXml(io.BytesIO(b"<a><b></a>" + b"<c>" * 1000), "a.rdf")
    assert checked.read(1 << 16).startswith(b"<a><b></a")
    assert checked.read(1 << 16) == b""


@pytest.mark.parametrize("mark", ["|", ",", "\t", ";"])
def test_a_table_of_endless_columns_is_not_read(written, mark):
    path = written("a.csv", "h" + mark * 8000 + "\n" + "a\n" * 8000)
    seen = read_preview(path)
    assert any("Rows have 8,001 columns, and at most 1,000 are read." in note for note in seen.notes)
    with pytest.raises(ConfigError, match="have 8,001 columns"):
        read_graph(
            path,
            ReadOptions(delimiter=mark, columns={"head": 0, "relation": 1, "tail": 2}),
            problems=lambda _: None,
        )


def test_only_the_columns_that_are_asked_for_are_kept(written):
    rows = "\n".join("|".join(f"{row}.{i}" for i in range(900)) for row in range(200))
    table = read_graph(
        written("a.csv", rows + "\nshort|row\n"),
        ReadOptions(delimiter="|", columns={"head": 899, "relation": 0, "tail": 5}),
        problems=lambda _: None,
    )
    assert table.facts.rows()[199] == ("199.899", "199.0", "199.5")
    assert len(table) == 200


def test_a_bomb_is_refused_while_it_is_read(written, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.compression.EASY", 1 << 20)
    path = written("a.tsv.gz", gzip.compress(b"a\tr\tb\n" * 2_000_000, 9))
    assert path.stat().st_size < 40_000
    with pytest.raises(SourceError, match="unpacks to more than 100 times its size"):
        read_graph(path, problems=pytest.fail)


# --- broken files -------------------------------------------------------------------------------------------


def test_a_parquet_file_that_makes_polars_panic_is_a_broken_file(written, monkeypatch):
    def panic(*_args, **_more):
        raise pl.exceptions.PanicException("assertion failed")

    out = io.BytesIO()
    pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]}).write_parquet(out)
    path = written("a.parquet", out.getvalue())
    assert len(read_graph(path, problems=pytest.fail)) == 1
    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    with pytest.raises(SourceError, match="broken Parquet"):
        read_graph(path, problems=pytest.fail)


def test_a_parquet_file_of_more_rows_than_bytes_can_hold_is_refused(written, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.parquet._EASY", 1000)
    out = io.BytesIO()
    pl.DataFrame({"head": ["a"] * 500_000, "relation": ["r"] * 500_000, "tail": ["b"] * 500_000}).write_parquet(out)
    with pytest.raises(SourceError, match="500,000 rows, more than 100 for each"):
        read_graph(written("a.parquet", out.getvalue()), problems=pytest.fail)


def test_a_file_without_a_name_in_a_zip_is_refused(written):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x", "a\tr\tb\n")
    whole = bytearray(out.getvalue())
    local, central = 0, whole.index(b"PK\x01\x02")
    whole[local + 26 : local + 28] = b"\0\0"
    whole[central + 28 : central + 30] = b"\0\0"
    del whole[central + 46 : central + 47]
    end = whole.index(b"PK\x05\x06")
    whole[end + 12 : end + 16] = (46).to_bytes(4, "little")
    path = written("a.zip", bytes(whole))
    with pytest.raises(SourceError, match="without a name"):
        read_graph(path, problems=pytest.fail)
    assert "without a name" in read_preview(path).notes[0]


@pytest.mark.parametrize("error", [AssertionError("x"), OverflowError("y"), NotImplementedError(), ZeroDivisionError()])
def test_whatever_a_pdf_breaks_it_is_a_damaged_file(written, monkeypatch, error):
    def broken(*_args):
        raise error

    monkeypatch.setattr("retrieval.kg.readers.documents.pdf.PdfReader", broken)
    with pytest.raises(SourceError, match="damaged PDF"):
        read_graph(written("a.pdf", b"%PDF-1.4"), problems=pytest.fail)


def test_half_a_character_in_a_document_is_replaced():
    from retrieval.kg.readers.documents.reading import _clean_text

    assert _clean_text("a\ud800b\0c") == "a?bc"
