"""Files built as they are read give the same directory as a table of them, and fail without leaving anything."""

import gzip
import random
import subprocess
import sys
import zipfile

import pytest

from retrieval.errors import Cancelled, ConfigError, EmptySourceError, SnapshotError
from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.readers import read_graph
from retrieval.kg.readers.options import ReadOptions
from tests.retrieval.kg.worlds import FILMS, random_facts

MESSY = (
    b"Jaws\tdirected_by\tSteven Spielberg\n"
    b"  Jaws \tdirected_by\t Steven Spielberg\r\n"
    b"\n"
    b"Hook\tdirected_by\n"
    b"Hook\tdirected_by\tSteven\tSpielberg\n"
    b"Hook\t\tEnglish\n"
    b"Hook\t \tEnglish\n"
    b"caf\xe9\tin\tParis\n"
    b"nul\0\tin\tParis\n"
    b"\xc2\xa0Amour\xe3\x80\x80\tin_language\tFrench\n"
    b"\xe2\x80\x9cHook\xe2\x80\x9d\tin_language\tEnglish \xe2\x80\x89\n"
    b"   \t\t  \n"
    b"Hook\tin_language\tEnglish"
)


def both(tmp_path, files, **how):
    """The snapshots of a table and in bulk, which must agree in every byte, and the bad rows of either."""
    paths = []
    for name, content in files.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(content)
    said, options = ([], []), ReadOptions(**how)
    slow = build_snapshot(read_graph(paths, options, problems=said[0].append), tmp_path / "slow")
    fast, reports = build_from_files(paths, tmp_path / "fast", options, problems=said[1].append, memory=200)
    assert said[0] == said[1]
    same(slow.path, fast.path)
    assert fast.manifest.duplicates == slow.manifest.duplicates
    assert fast.manifest.problems == slow.manifest.problems
    assert [report.name for report in reports] == list(files)
    return fast, said[1]


def same(one, other):
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    for name in names:
        # These have the time in them, and what files are called.
        if name not in ("manifest.json", "checksums.json", "source_names.json"):
            assert (one / name).read_bytes() == (other / name).read_bytes(), name


def rows(facts, mark="\t"):
    return "".join(mark.join(fact) + "\n" for fact in facts).encode()


@pytest.mark.parametrize("seed", range(4))
def test_the_same_directory_as_a_table_of_the_files(seed, tmp_path):
    first, second = random_facts(seed, facts=400), random_facts(seed + 50, entities=40, facts=100)
    graph, problems = both(tmp_path, {"a.tsv": rows(first), "b.csv": rows(second, ",")})
    assert problems == []
    facts = {
        (graph.get_hop(i).source.label, graph.get_hop(i).step.name, graph.get_hop(i).target.label)
        for i in range(graph.num_triples)
    }
    assert facts == {*first, *second}
    assert graph.manifest.duplicates == len(first) + len(second) - len(facts)
    snapshot.verify(graph)


def test_bad_rows_are_named_and_good_ones_go_in(tmp_path):
    # A NUL character among the first thousand bytes would make it a binary file.
    graph, problems = both(tmp_path, {"films.tsv": b"Jaws\tdirected_by\tSteven Spielberg\n" * 40 + MESSY})
    assert list(graph.entity_labels) == [
        "Amour",
        "English",
        "French",
        "Hook",
        "Jaws",
        "Steven Spielberg",
        "“Hook”",
    ]
    assert graph.num_triples == 4
    assert [(p.line - 40, p.message) for p in problems] == [
        (8, "not UTF-8 text (byte 4 of the line)"),
        (4, "2 columns found, 3 needed: head, relation, tail"),
        (5, "4 columns found, 3 needed: head, relation, tail"),
        (6, "the relation is empty"),
        (7, "the relation is empty"),
        (9, "the head holds a NUL character"),
    ]


def test_a_bad_row_far_inside_does_not_move_the_numbers_of_lines(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.sources.BLOCK", 64)
    lines = [b"e%d\tr\te%d" % (i, i + 1) for i in range(60)]
    lines[20] = b"e20\t r\te21"  # trimmed, and fine
    lines[41] = b"e41 r e42"
    graph, problems = both(tmp_path, {"chain.tsv": b"\n".join(lines)})
    assert [(p.line, p.text) for p in problems] == [(42, "e41 r e42")]
    assert graph.num_triples == 59
    assert graph.num_relations == 1


def test_labels_that_only_bad_rows_have_are_no_entities(tmp_path):
    graph, _ = both(tmp_path, {"g.tsv": b"a\tr\tb\n c\tr\tb\n" + b"x" * 5000 + b"\tq\tz\n"})
    assert list(graph.entity_labels) == ["a", "b", "c"]
    assert list(graph.relation_names) == ["r"]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_headers_and_line_ends(ending, tmp_path):
    content = b"head,relation,tail\n" + rows(FILMS, ",") + b'"Duel, the film",in_language,"Eng""lish"\n'
    graph, problems = both(tmp_path, {"g.csv": content.replace(b"\n", ending)})
    assert problems == []
    assert graph.num_triples == len(FILMS) + 1
    assert graph.find_entity("Duel, the film") is not None


def test_chosen_columns_and_compressed_files(tmp_path):
    content = b"".join(b"%d|%s|%s|%s|x\n" % (i, *(c.encode() for c in fact)) for i, fact in enumerate(FILMS))
    columns = {"head": 1, "relation": 2, "tail": 3}
    graph, _ = both(tmp_path, {"g.txt.gz": gzip.compress(content)}, delimiter="|", columns=columns)
    assert graph.num_triples == len(FILMS)


def test_rows_meet_other_formats(tmp_path):
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    rdf = f'<http://x/1> {label} "Jaws" .\n<http://x/1> <http://x/seen_in> <http://x/Paris> .\n'
    graph, _ = both(tmp_path, {"a.tsv": rows(FILMS), "b.nt": rdf.encode()})
    assert graph.num_triples == len(FILMS) + 1
    assert graph.get_entity_iri(graph.find_entity("Jaws")) == "http://x/1"


@pytest.mark.parametrize("limit", [1, 10**9])
def test_a_file_of_an_archive_that_breaks_midway_is_left_out_whole(limit, tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.sources.BLOCK", 1 << 10)
    drawn = random.Random(3)
    many = b"".join(b"x%d\tonly_there\tx%d\n" % (drawn.getrandbits(60), drawn.getrandbits(60)) for _ in range(9000))
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.writestr("a.tsv", rows(FILMS))
        archive.writestr("broken.tsv.gz", gzip.compress(many)[:-9000])
    problems = []
    built, reports = build_from_files(tmp_path / "both.zip", tmp_path / "out", problems=problems.append, memory=limit)
    alone, _ = build_from_files(_written(tmp_path / "a.tsv", rows(FILMS)), tmp_path / "alone", problems=print)
    same(built.path, alone.path)
    assert [(p.file, p.line) for p in problems] == [("both.zip/broken.tsv.gz", 0)]
    assert [report.rows for report in reports] == [len(FILMS), 0]


def _written(path, content):
    path.write_bytes(content)
    return path


def test_pieces_of_any_size_give_one_graph(tmp_path):
    source = tmp_path / "g.tsv"
    source.write_bytes(rows(random_facts(7, entities=300, relations=20, facts=3000)))
    graphs = [
        build_from_files(source, tmp_path / str(memory), problems=print, memory=memory)[0]
        for memory in (8, 4000, 2**30)
    ]
    same(graphs[0].path, graphs[1].path)
    same(graphs[0].path, graphs[2].path)


LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
COMMENT = "<http://www.w3.org/2000/01/rdf-schema#comment>"


@pytest.mark.parametrize("at_a_time", [1, 3, 50_000])
def test_rdf_is_named_as_if_it_were_held(tmp_path, monkeypatch, at_a_time):
    monkeypatch.setattr("retrieval.kg.readers.rdf._ROWS", at_a_time)
    first = f"""<http://x/1> <http://x/in> <http://x/2> .
<http://x/1> <http://x/since> "1991" .
<http://x/2> {LABEL} "Paris"@fr .
<http://x/2> {LABEL} "Paris, France"@en .
_:a <http://x/in> <http://x/1> .
<http://x/2> {COMMENT} "A city." .
<http://x/1> <http://x/broken> .
<http://x/in> {LABEL} "lies in" .
<http://x/3> {LABEL} "Nowhere" .
"""
    second = f'@prefix x: <http://x/> .\nx:4 {LABEL} "Paris, France" ; x:in x:1, [ x:in x:2 ] .\n'
    graph, problems = both(
        tmp_path, {"a.nt": first.encode(), "b.ttl": second.encode(), "c.tsv": b"1\tin\tParis, France (4)\n"}
    )
    assert [(p.file, p.line) for p in problems] == [("a.nt", 7)]
    hops = [graph.get_hop(i) for i in range(graph.num_triples)]
    assert [(hop.source.label, hop.step.label, hop.target.label) for hop in hops] == [
        ("1", "lies in", "Paris, France (2)"),
        ("1", "since", "1991"),
        ("1", "in", "Paris, France (4)"),
        ("Paris, France (4)", "lies in", "1"),
        ("Paris, France (4)", "lies in", "_:b.1"),
        ("_:a.1", "lies in", "1"),
        ("_:b.1", "lies in", "Paris, France (2)"),
    ]
    assert graph.get_entity_iri(graph.find_entity("Paris, France (2)")) == "http://x/2"
    assert graph.get_entity_attributes(graph.find_entity("Paris, France (2)")) == {"description": "A city."}


def test_rdf_of_an_archive_that_breaks_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.rdf._ROWS", 2)
    statement = "<http://x/{}> <http://x/in> <http://x/{}> .\n"
    broken = gzip.compress("".join(statement.format(i, i + 1) for i in range(10_000)).encode())[:-200]
    archive = tmp_path / "g.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.nt", statement.format("a", "b"))
        file.writestr("b.nt.gz", broken)
        file.writestr("c.tsv", "a\tknows\tc\n")
        file.writestr("d.nt", statement.format("b", "c"))
    problems = []
    graph, _ = build_from_files(archive, tmp_path / "graph", problems=problems.append)
    assert [p.file for p in problems] == ["g.zip/b.nt.gz"]
    assert list(graph.entity_labels) == ["a", "b", "c"]
    assert list(graph.relation_names) == ["http://x/in", "knows"]
    assert graph.num_triples == 3


def test_one_endless_line_is_a_bad_row(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.kg.readers.sources.BLOCK", 1 << 16)
    monkeypatch.setattr("retrieval.kg.readers.sources.LINE_LIMIT", 1 << 16)
    content = rows(FILMS) + b"x" * 3_000_000 + b"\tr\ty\n" + rows(FILMS[:1])
    graph, problems = both(tmp_path, {"g.tsv": content})
    assert [p.line for p in problems] == [len(FILMS) + 1]
    assert graph.num_triples == len(FILMS)
    assert graph.manifest.duplicates == 1


def test_a_file_without_a_fact_is_refused_and_leaves_nothing(tmp_path):
    source = tmp_path / "g.tsv"
    source.write_bytes(b"one column\nalone\n")
    with pytest.raises(EmptySourceError, match=r"line 1: 1 column found"):
        build_from_files(source, tmp_path / "out", problems=lambda p: None)
    with pytest.raises(ConfigError):
        build_from_files(source, tmp_path / "out", ReadOptions(format="nonsense"), problems=lambda p: None)
    assert [path.name for path in tmp_path.iterdir()] == ["g.tsv"]


def test_what_is_no_snapshot_is_not_overwritten(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "one.txt").write_text("keep")
    source = tmp_path / "g.tsv"
    source.write_bytes(rows(FILMS))
    with pytest.raises(SnapshotError, match="is not a snapshot"):
        build_from_files(source, tmp_path / "thesis", problems=lambda p: None)
    assert (tmp_path / "thesis" / "one.txt").read_text() == "keep"


@pytest.mark.parametrize("stage", ["reading", "sorting facts", "writing labels", "checking"])
def test_stopped_at_any_stage_it_leaves_nothing(stage, tmp_path):
    source = tmp_path / "g.tsv"
    source.write_bytes(rows(random_facts(1, facts=500)))
    seen = []

    with pytest.raises(Cancelled):
        build_from_files(
            source,
            tmp_path / "out",
            problems=lambda p: None,
            progress=lambda p: seen.append(p.stage),
            cancelled=lambda: stage in seen,
            memory=64,
        )
    assert seen[-1] == stage
    assert [path.name for path in tmp_path.iterdir()] == ["g.tsv"]


_FULL = """
import resource, sys
from retrieval.errors import StorageFullError
from retrieval.kg.build.from_files import build_from_files
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    build_from_files(sys.argv[1], sys.argv[2], problems=print, memory=2000)
except StorageFullError as error:
    print(error)
"""


@pytest.mark.parametrize("limit", [1000, 30_000, 40_000])
def test_a_full_disk_is_said_and_nothing_is_left(limit, tmp_path):
    """A limit on the size of a file stands for the disk: while rows wait, and while facts are written."""
    source = tmp_path / "g.tsv"
    drawn = random.Random(0)
    source.write_bytes(b"".join(b"e%d\tr\te%d\n" % (drawn.randrange(900), drawn.randrange(900)) for _ in range(9000)))
    command = [sys.executable, "-c", _FULL, str(source), str(tmp_path / "out"), str(limit)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    assert told.stdout.startswith("There is no room on the disk for out; nothing of it is left.")
    assert [path.name for path in tmp_path.iterdir()] == ["g.tsv"]
