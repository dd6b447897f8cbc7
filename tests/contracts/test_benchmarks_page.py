"""docs/benchmarks.md is what the results in docs/benchmarks/ generate, and short."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.report import PAGE_BYTES, Section, make_page, make_slug, write

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "benchmarks.md"
RESULTS = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((DOCS / "benchmarks").iterdir())]


def test_the_page_is_generated_from_the_results():
    assert PAGE.read_text(encoding="utf-8") == make_page(DOCS / "benchmarks")


def test_the_page_is_short():
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.encode()) <= PAGE_BYTES
    assert [line for line in text.splitlines() if len(line) > 200] == []


def test_results_are_named_like_their_titles_and_their_rows_fit_their_heads():
    names = {path.stem for path in (DOCS / "benchmarks").iterdir()}
    assert names == {make_slug(result["title"]) for result in RESULTS}
    tables = [table for result in RESULTS for table in (result, *result.get("more", []))]
    assert [row for table in tables for row in table["rows"] if len(row) != len(table["head"])] == []


def test_a_result_replaces_its_file_and_keeps_its_place(tmp_path):
    page = tmp_path / "benchmarks.md"
    write([Section("Some paths", "python -m tests.benchmarks some", headline="2 ms", theme="Speed")], page)
    assert "| [Some paths](benchmarks/some-paths.json) | 2 ms | `some` |" in page.read_text(encoding="utf-8")
    again = Section("Some paths", "python -m tests.benchmarks some")
    again.add("p50", "3 ms")
    write([again], page)
    text = page.read_text(encoding="utf-8")
    assert "## Speed" in text
    assert "| p50: measured 3 ms |" in text
