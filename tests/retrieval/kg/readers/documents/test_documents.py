from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers import read_graph
from retrieval.kg.readers.options import ReadOptions
from retrieval.kg.table import TripleTable
from retrieval.types import Problem
from tests.retrieval.kg.readers.documents.pdfs import write_pdf


def read(*paths: Path, names: dict[Path, str] | None = None, **options: object) -> tuple[TripleTable, list[Problem]]:
    problems: list[Problem] = []
    table = read_graph(list(paths), ReadOptions(**options), problems=problems.append, names=names)  # type: ignore[arg-type]
    return table, problems


def rows(table: TripleTable) -> list[tuple[str, ...]]:
    assert table.passages is not None
    return table.passages.rows()


def texts(table: TripleTable) -> list[str]:
    return [row[2] for row in rows(table)]


def test_plain_text_becomes_numbered_passages_of_its_document(tmp_path: Path) -> None:
    path = tmp_path / "walk.txt"
    path.write_text("The walk began, at noon.\nIt rained.\n\nThen it stopped.\n")
    table, problems = read(path)
    assert rows(table) == [
        ("walk.txt#1", "walk", "The walk began, at noon.\nIt rained.\n\nThen it stopped.", "walk.txt", "")
    ]
    assert len(table) == 0
    assert problems == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1251", "iso8859-7"])
def test_text_of_other_encodings_and_languages_is_read(tmp_path: Path, encoding: str) -> None:
    said = {
        "cp1251": "Москва — столица России, город на реке Москве. Здесь живут миллионы людей.",
        "iso8859-7": "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και βρίσκεται στην Αττική.",
    }.get(encoding, "Zürich liegt am Zürichsee. 東京は日本の首都です。")
    path = tmp_path / "city.txt"
    path.write_bytes("\r\n".join([said] * 3).encode(encoding))
    assert texts(read(path)[0]) == ["\n".join([said] * 3)]


def test_bytes_that_do_not_fit_are_replaced_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "late.txt"
    path.write_bytes(b"Plain words here. \n" * 20_000 + b"caf\xe9.\n")
    table, problems = read(path)
    assert texts(table)[-1].endswith("caf\ufffd.")
    assert [(p.file, p.message) for p in problems] == [("late.txt", "1 characters are not utf-8 and were replaced")]


def test_a_text_file_of_facts_stays_a_file_of_facts(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("A|likes|B\nB|likes|C\n")
    table, _ = read(path)
    assert (len(table), table.passages) == (2, None)


def test_markdown_keeps_its_headings_and_loses_its_marks(tmp_path: Path) -> None:
    path = tmp_path / "guide.md"
    path.write_text(
        "# Guide\n\nSee [the *page*](http://x.y/z_(1)) **now**.\n\n## Setup\nRun `it`.\n\n```\n# not a heading\n```\n"
        "Usage\n-----\n- one\n- two\n"
    )
    assert rows(read(path)[0]) == [
        ("guide.md#1", "guide – Guide", "See the page now.", "guide.md", ""),
        ("guide.md#2", "guide – Guide – Setup", "Run it.\n\n# not a heading", "guide.md", ""),
        ("guide.md#3", "guide – Guide – Usage", "- one\n- two", "guide.md", ""),
    ]


def test_a_page_gives_what_a_person_reads(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<!doctype html><html><head><title>Rivers &amp; lakes</title><style>p {}</style>"
        '<link rel="canonical" href="https://example.org/rivers"></head><body><nav>Home</nav>'
        "<h1>Rivers</h1><p>The <b>Rhine</b>\nis long.<script>x = '<p>no</p>'</script>"
        "<table><tr><td>Elbe</td><td>1,094 km</td></tr></table><h2>Lakes</h2>Ladoga &lt; Baikal<p>unclosed"
    )
    url = "https://example.org/rivers"
    assert rows(read(path)[0]) == [
        ("page.html#1", "Rivers & lakes – Rivers", "The Rhine is long.\n\nElbe | 1,094 km", "page.html", url),
        ("page.html#2", "Rivers & lakes – Rivers – Lakes", "Ladoga < Baikal\n\nunclosed", "page.html", url),
    ]


def test_a_page_says_its_own_encoding(tmp_path: Path) -> None:
    path = tmp_path / "old.htm"
    page = '<html><head><meta charset="windows-1251"><title>Река</title></head><p>Волга — река.</html>'
    path.write_bytes(page.encode("cp1251"))
    assert rows(read(path)[0]) == [("old.htm#1", "Река", "Волга — река.", "old.htm", "")]


def test_a_pdf_gives_the_text_of_its_pages(tmp_path: Path) -> None:
    lines = ["Volcanoes grow where the crust of the earth is thin, and where hot ma-", "terial can rise."]
    path = write_pdf(tmp_path / "v.pdf", [lines, [], ["Short page."]], title="On volcanoes")
    table, problems = read(path)
    assert rows(table) == [
        (
            "v.pdf#1",
            "On volcanoes – page 1",
            "Volcanoes grow where the crust of the earth is thin, and where hot material can rise.",
            "v.pdf",
            "",
        ),
        ("v.pdf#2", "On volcanoes – page 3", "Short page.", "v.pdf", ""),
    ]
    assert [(p.line, p.message) for p in problems] == [(2, "page 2 has no text; it may be a scanned image")]


def test_a_scanned_pdf_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "scan.pdf", [[], []])
    with pytest.raises(SourceError, match=r"scan\.pdf has 2 pages and no text .*OCR"):
        read(path)


def test_a_broken_pdf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.pdf"
    path.write_bytes(b"%PDF-1.4\n1 0 obj\n<< /Type")
    with pytest.raises(SourceError, match=r"cut\.pdf is a damaged PDF"):
        read(path)


def test_a_document_without_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.md"
    path.write_text("\n\n# \n")
    with pytest.raises(EmptySourceError, match=r"empty\.md has no text"):
        read(path)


def test_a_binary_file_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "image.txt"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(SourceError, match="binary"):
        read(path)


def test_much_text_is_cut_as_it_is_read(tmp_path: Path) -> None:
    """2 MB on one line, and never more of it in memory than its passages and a few pieces."""
    path = tmp_path / "long.txt.gz"
    sentence = "A sentence of some words that is said again and again. "
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(2):
            file.write(sentence * (1_000_000 // len(sentence)))
    tracemalloc.start()
    table, _ = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    found = texts(table)
    assert sum(len(text) + 1 for text in found) == pytest.approx(2_000_000, rel=0.01)
    assert max(map(len, found)) <= 1000
    assert peak < 9_000_000


def test_passages_with_triples_become_facts_that_know_where_they_are_from(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        json.dumps({"id": 0, "title": "Rhine", "text": "The Rhine flows.", "triples": [["Rhine", "is", "river"]]})
        + "\n"
        + json.dumps({"id": 1, "text": ["It is", "long."], "url": "http://x"})
        + "\n"
        + json.dumps({"id": 0, "title": "Rhine", "text": "The Rhine flows."})
        + "\n"
        + json.dumps({"id": 1, "text": "Another."})
        + "\nbroken\n"
        + json.dumps({"id": 7, "text": "  "})
        + "\n"
    )
    table, problems = read(path)
    assert rows(table) == [
        ("0", "Rhine", "The Rhine flows.", "", ""),
        ("1", "", "It is long.", "", "http://x"),
    ]
    assert table.facts.rows() == [("Rhine", "is", "river")]
    assert table.fact_passages is not None
    assert table.fact_passages.rows() == [(0, 0)]
    assert [(p.line, p.message[:45]) for p in problems] == [
        (4, "the name '1' was used before for another text"),
        (5, "not JSON (Expecting value: line 1 column 1 (c"),
        (6, "the text is empty"),
    ]


HOTPOT = {
    "_id": "h1",
    "question": "Who?",
    "answer": "Ann",
    "supporting_facts": [["Ann", 0]],
    "context": [["Ann", ["Ann came.", " She left."]], ["Bob", ["Bob came."]]],
}
MUSIQUE = {
    "id": "2hop__1",
    "question": "Who?",
    "answer": "Ann",
    "paragraphs": [
        {"idx": 0, "title": "Ann", "paragraph_text": "Ann came. She left.", "is_supporting": True},
        {"idx": 1, "title": "Cid", "paragraph_text": "Cid came.", "is_supporting": False},
    ],
}


def test_questions_bring_their_passages_and_share_them(tmp_path: Path) -> None:
    hotpot, musique = tmp_path / "hotpot.json", tmp_path / "musique.jsonl"
    hotpot.write_text(json.dumps([HOTPOT, {**HOTPOT, "_id": "h2"}], indent=1))
    musique.write_text(json.dumps(MUSIQUE))
    table, problems = read(hotpot, musique)
    assert [(row[1], row[2]) for row in rows(table)] == [
        ("Ann", "Ann came. She left."),
        ("Bob", "Bob came."),
        ("Cid", "Cid came."),
    ]
    assert len(set(table.passages["name"])) == 3  # type: ignore[index]
    assert problems == []


def test_an_array_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([HOTPOT, HOTPOT])[:-30])
    with pytest.raises(SourceError, match=r"cut.json is broken JSON"):
        read(path)


def test_files_of_one_name_keep_their_passages_apart(tmp_path: Path) -> None:
    for folder, said in (("a", "First."), ("b", "Second."), ("c", "First.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "note.md").write_text(said)
    table, _ = read(*(tmp_path / folder / "note.md" for folder in "abc"))
    assert [(row[0], row[2]) for row in rows(table)] == [
        ("note.md#1", "First."),
        ("note.md#1 (2)", "Second."),
    ]


def test_facts_and_documents_make_one_graph(tmp_path: Path) -> None:
    facts, passages = tmp_path / "f.tsv", tmp_path / "p.jsonl"
    facts.write_text("A\tlikes\tB\n")
    passages.write_text('{"id": "p", "text": "B likes C.", "triples": [["B", "likes", "C"]]}\n')
    table, _ = read(facts, passages)
    assert table.facts.rows() == [("A", "likes", "B"), ("B", "likes", "C")]
    assert table.fact_passages is not None
    assert table.fact_passages.rows() == [(1, 0)]


def test_passages_go_by_the_name_that_their_owner_gave(tmp_path: Path) -> None:
    path = tmp_path / "0.md"
    path.write_text("Said.")
    assert rows(read(path, names={path: "Report 7.md"})[0]) == [
        ("Report 7.md#1", "Report 7", "Said.", "Report 7.md", "")
    ]
