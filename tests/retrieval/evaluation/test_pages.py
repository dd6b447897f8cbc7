"""Pages: what is said, in both forms, with nothing of the data taken for layout."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.errors import ConfigError
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.pages import Entry, Heading, PageTable, Text, render, render_html, render_markdown
from retrieval.evaluation.report import build_report
from retrieval.evaluation.report_page import build_blocks, build_title
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.types import QuestionRecord
from tests.retrieval.world import LabelLinker, ScriptedRetriever, build

BLOCKS = [
    Heading("Fig*ures*"),
    Text("a < b & c"),
    PageTable(("name", "value"), [("x|y", "1"), ("two\nlines", "<b>2</b>")]),
    Entry("who <i>?", [("paths", "a – b\nc – d"), ("right", "<script>alert(1)</script>")]),
]


class Tags(HTMLParser):
    """Open tags, and whether each was closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(page):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    return tags


def test_markdown_escapes_what_would_be_layout():
    assert render_markdown("A #1 page", BLOCKS) == (
        "# A \\#1 page\n\n"
        "## Fig\\*ures\\*\n\n"
        "a \\< b & c\n\n"
        "| name | value |\n| --- | --- |\n| x\\|y | 1 |\n| two lines | \\<b\\>2\\</b\\> |\n\n"
        "**who \\<i\\>?**\n\n- paths: a – b c – d\n- right: \\<script\\>alert(1)\\</script\\>\n"
    )


def test_html_is_whole_escaped_and_stands_alone():
    page = render_html('"A" & B', BLOCKS)
    tags = parsed(page)
    assert "script" not in tags.seen
    assert "b" not in tags.seen
    assert "".join(tags.text).count("<script>alert(1)</script>") == 1
    assert "<title>&quot;A&quot; &amp; B</title>" in page
    assert "prefers-color-scheme: dark" in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_name_of_the_file_says_the_form():
    assert render(Path("a.md"), "T", []).startswith("# T")
    assert render(Path("a.HTML"), "T", []).startswith("<!doctype html>")
    with pytest.raises(ConfigError, match=r"a\.pdf"):
        render(Path("a.pdf"), "T", [])


def test_the_page_of_a_report(tmp_path):
    graph = build(tmp_path / "world")
    script = {"Jaws": [("directed_by", 0.9)], "Austria": [("borders", 0.6)]}
    answerer = PathAnswerer(graph, ScriptedRetriever(graph, script), LabelLinker(graph), ExtractiveReasoner())
    path = (("Jaws", "directed_by", "Spielberg"),)
    questions = [
        QuestionRecord("1", "who directed it?", ("Jaws",), ("Spielberg",), hops=1),
        QuestionRecord("2", "who wrote <it>?", ("Jaws",), ("Benchley",), (path,), hops=2),
        QuestionRecord("3", "what does Austria border?", (), ("Italy", "Mordor"), hops=1),
    ]
    report = build_report(evaluate_answerer(answerer, questions, budget=50, seed=0), split="test")
    page = render_markdown(build_title(report), build_blocks(report))
    assert "# Evaluation of rel-rag-path" in page
    assert "3 questions of the test split, asked of rel-rag-path without training (zero-shot)" in page
    assert "| Hit | 0.667 | 0.000 to 1.000 |" in page
    assert "| 2-4 | 1 | " in page
    assert "2 of 3." in page
    assert "Language-model calls: 0 in all, 0.00 a question; tokens: 0 in all, 0.0 a question." in page
    assert "**wrong: who wrote \\<it\\>?**" in page
    assert "- predicted: Spielberg" in page
    assert "- right: Benchley" in page
    assert "- gold paths: Jaws – directed\\_by – Spielberg" in page
    assert "- topic: Austria (found by the linker)" in page
    parsed(render_html(build_title(report), build_blocks(report)))
