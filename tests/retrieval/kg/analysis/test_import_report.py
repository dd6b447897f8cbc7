"""What became of the files of a graph: counts, kinds of bad rows, and the table of them."""

import io

from retrieval.kg.analysis import import_report
from retrieval.kg.build import build_snapshot
from retrieval.kg.readers import read_graph
from retrieval.types import ImportReport, Problem, SourceReport


def read(tmp_path, **files):
    paths = []
    for name, content in files.items():
        path = tmp_path / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    problems = []
    table = read_graph(paths, problems=problems.append)
    return build_snapshot(table, tmp_path / "graph"), table, problems


def test_everything_odd_is_counted(tmp_path):
    facts = "ä\tr\tb\nä\tr\tb\nb\tr\tb\n\tr\tb\nä\tr\t \n".encode() + b"one\ttwo\ncaf\xe9\tr\tb\n"
    nodes = '{"id": "n", "name": "alone", "type": "Thing"}\n{"source": "n2", "relation": "r", "target": "n2"}\n'
    graph, table, problems = read(tmp_path, kb_txt=facts, more_jsonl=nodes + '{"id": "n2", "name": "b"}\n')
    assert import_report.build_report(graph, table.reports) == ImportReport(
        triples=3,
        entities=4,
        relations=2,
        passages=0,
        duplicates=2,
        self_loops=1,
        dangling=0,
        blank_labels=2,
        odd_encodings=1,
        problems=4,
        files=(
            SourceReport("kb.txt", "delimited", 3, 4, (("blank", 2), ("encoding", 1), ("row", 1))),
            SourceReport("more.jsonl", "property-jsonl", 3, 0),
        ),
    )
    assert [p.kind for p in problems] == ["encoding", "blank", "blank", "row"]


def test_the_same_file_twice_is_read_once(tmp_path):
    graph, table, problems = read(tmp_path, a_txt="a\tr\tb\n", b_txt="a\tr\tc\n", c_txt="a\tr\tb\n")
    assert graph.num_triples == 2
    found = import_report.build_report(graph, table.reports)
    assert found.duplicates == 0
    assert found.files[2] == SourceReport("c.txt", "", 0, 1, (("repeat", 1),), same_as="a.txt")
    assert problems == [Problem("c.txt", 0, "the same content as a.txt; it is read once", "", "repeat")]


def test_bad_rows_as_a_table_that_no_spreadsheet_computes():
    file = io.StringIO(newline="")
    import_report.write_problems(
        file,
        [
            Problem("kb.txt", 7, "2 columns found", '=HYPERLINK("http://evil")\tb'),
            Problem("-x.txt", 0, "+1", "@SUM(A1)"),
            Problem("ok.txt", 1, "the head is empty", 'plain, "quoted"'),
        ],
    )
    assert file.getvalue().split("\r\n") == [
        "file,line,reason,text",
        'kb.txt,7,2 columns found,"\'=HYPERLINK(""http://evil"")\tb"',
        "'-x.txt,,'+1,'@SUM(A1)",
        'ok.txt,1,the head is empty,"plain, ""quoted"""',
        "",
    ]
