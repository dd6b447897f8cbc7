"""What documents point at is there, and the first tutorial's questions have the answers that it gives."""

from __future__ import annotations

import re
from pathlib import Path

from retrieval import thresholds
from retrieval.__main__ import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")]
CODE = [path for folder in ("clew", "retrieval", "webapp", "worker") for path in (ROOT / folder).rglob("*.py")]


def test_links_lead_somewhere():
    lost = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in PAGES
        for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert lost == []


def test_documents_that_code_cites_are_there():
    cited = {
        (path.relative_to(ROOT), name)
        for path in CODE
        for name in re.findall(r"docs/(adr/\d{4}|[a-z0-9-]+\.md)", path.read_text(encoding="utf-8"))
    }
    assert cited
    assert [(path, name) for path, name in cited if not list(DOCS.glob(f"{name}*"))] == []


def test_decisions_are_numbered_without_gaps_and_listed():
    names = sorted(path.name for path in (DOCS / "adr").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"(adr/{name})" not in index] == []


def test_every_page_is_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


def test_the_first_questions_have_the_answers_that_the_tutorial_gives(tmp_path, capsys):
    page = (DOCS / "first-question.md").read_text(encoding="utf-8")
    table = re.search(r"```csv\n(.*?)```", page, re.DOTALL)
    assert table is not None
    (tmp_path / "films.csv").write_text(table.group(1), encoding="utf-8")
    graph = str(tmp_path / "graph")
    assert main(["build-graph", str(tmp_path / "films.csv"), "--out", graph]) == 0
    asked = re.findall(r"^\* \*(.+\?)\* (.+)$", page, re.MULTILINE)
    assert len(asked) == 3
    for question, answer in asked:
        capsys.readouterr()
        assert main(["ask", "--graph", graph, question]) == 0
        assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == [answer]


def test_documents_quote_the_thresholds():
    quoted = [
        (path.name, name, value)
        for path in DOCS.glob("*.md")
        for name, value in re.findall(r"`([A-Z_]+)`\s+\((\d\.\d+)\)", path.read_text(encoding="utf-8"))
    ]
    assert len(quoted) >= 8
    assert [each for each in quoted if getattr(thresholds, each[1]) != float(each[2])] == []
