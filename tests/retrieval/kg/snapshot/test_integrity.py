"""Files that are not what was written are told before anything is answered from them."""

import json
import os
import shutil

import numpy as np
import pytest

from retrieval.errors import DamagedError
from retrieval.kg import snapshot
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import integrity
from retrieval.kg.table import TripleTable
from retrieval.types import Passage
from tests.retrieval.kg.worlds import FILMS, build, random_facts

PASSAGE = Passage(0, "p1", "Jaws", "Jaws is directed by Steven Spielberg.", "film.txt", "")


def whole(path):
    """A graph with every kind of file that there is."""
    table = TripleTable.from_facts(
        FILMS,
        passages=[PASSAGE],
        fact_passages=[(0, 0)],
        node_attributes=[("Jaws", "type", "Film")],
        fact_attributes=[(0, "year", "1975")],
    )
    return build_snapshot(table, path)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return whole(tmp_path_factory.mktemp("whole") / "g")


@pytest.fixture
def copy(graph, tmp_path):
    shutil.copytree(graph.path, tmp_path / "copy")
    return tmp_path / "copy"


FILES = sorted(
    [
        *(f"{way}_{what}.npy" for way in ("in", "out") for what in ("offsets", "group_keys", "group_starts")),
        *(f"{name}.npy" for name in ("heads", "relations", "tails", "in_order", "in_heads", "kinds")),
        *(f"names_{name}.npy" for name in ("entity", "alias", "degree")),
        *(f"{name}.npy" for name in ("words_starts", "words_rows", "trigram_starts", "trigram_rows")),
        *(
            f"{table}.{part}.npy"
            for table in (
                *("entity_labels", "relation_names", "relation_labels", "entity_iris", "names", "words"),
                *("attribute_keys", "attribute_texts"),
                *(f"passage_{column}s" for column in ("name", "title", "text", "document", "url")),
            )
            for part in ("utf8", "offsets")
        ),
        *(f"{owner}_attribute_{what}.npy" for owner in ("entity", "fact") for what in ("offsets", "keys", "texts")),
        *(f"{name}.npy" for name in ("value_nodes", "values", "value_kinds")),
        *("passages_by_name.npy", "fact_passage_offsets.npy", "fact_passages.npy"),
        *("passage_fact_offsets.npy", "passage_facts.npy", "manifest.json", "checksums.json"),
    ]
)


def flip(path, at=None):
    """Change one bit of a file without changing its size or, as a failing disk does, its time."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) - 1 if at is None else at] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_every_file_has_a_checksum(graph):
    assert sorted(p.name for p in graph.path.iterdir()) == FILES
    assert sorted(integrity.read_checksums(graph.path)) == sorted(set(FILES) - {"checksums.json"})
    assert integrity.compare(graph.path) == []


@pytest.mark.parametrize("name", FILES)
def test_one_bit_of_any_file_is_noticed_when_the_graph_is_opened(copy, name):
    flip(copy / name, 20 if name == "checksums.json" else None)
    with pytest.raises(DamagedError) as told:
        snapshot.open(copy)
    if name != "manifest.json":  # which may not even be JSON any more
        assert name in told.value.message
    assert str(copy.parent) not in str(told.value), "no path of the server"


@pytest.mark.parametrize("name", ["tails.npy", "names.utf8.npy"])
def test_fifty_zeroed_bytes_under_an_open_graph_are_noticed(copy, name):
    opened = snapshot.open(copy)
    opened.require_sound()
    with (copy / name).open("r+b") as file:
        file.seek(-50, os.SEEK_END)
        file.write(bytes(50))
    with pytest.raises(DamagedError, match=name):
        opened.require_sound()


def test_put_in_place_again_it_opens_again(copy, graph):
    flip(copy / "tails.npy")
    for _ in range(2):
        with pytest.raises(DamagedError):
            snapshot.open(copy)
    shutil.copy2(graph.path / "tails.npy", copy / "new")
    (copy / "new").replace(copy / "tails.npy")
    assert snapshot.open(copy).hash == graph.hash
    (copy / "kinds.npy").unlink()
    with pytest.raises(DamagedError, match=r"kinds\.npy"):
        snapshot.open(copy)


def test_large_files_are_compared_behind_the_opening(copy, monkeypatch):
    monkeypatch.setattr(integrity, "SMALL", 100)
    flip(copy / "heads.npy")
    opened = snapshot.open(copy)
    integrity.flush_work()
    with pytest.raises(DamagedError, match=r"heads\.npy"):
        opened.require_sound()


def test_or_at_once_where_somebody_must_know(copy, monkeypatch):
    monkeypatch.setattr(integrity, "SMALL", 100)
    monkeypatch.setattr(integrity, "run_behind", lambda work: None)
    flip(copy / "heads.npy")
    opened = snapshot.open(copy)
    opened.require_sound()
    with pytest.raises(DamagedError, match=r"heads\.npy"):
        opened.require_sound(thorough=True)


def test_each_block_has_a_checksum(tmp_path):
    data = os.urandom(2 * integrity.BLOCK + 5)
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b").write_bytes(b"b")
    integrity.write_checksums(tmp_path)
    sums = integrity.read_checksums(tmp_path)
    assert {name: (one.size, len(one.blocks)) for name, one in sums.items()} == {
        "a": (len(data), 48),
        "deep/b": (1, 16),
        "empty": (0, 0),
    }
    for at in (0, integrity.BLOCK, len(data) - 1):
        flip(tmp_path / "a", at)
        assert integrity.compare(tmp_path) == ["a"]
        flip(tmp_path / "a", at)
        assert integrity.compare(tmp_path) == []


def test_a_graph_without_checksums_is_damaged(copy):
    (copy / "checksums.json").unlink()
    with pytest.raises(DamagedError, match=r"checksums\.json"):
        snapshot.open(copy)


@pytest.mark.parametrize("wrong", [10**9, -5])
def test_what_reads_an_id_that_is_out_of_range_says_so(tmp_path, wrong):
    """Whatever came between, nobody is answered from what lies beside what was meant."""
    opened = build(random_facts(1), tmp_path / "g")
    for read in (
        *(
            opened.get_node,
            opened.get_kind,
            opened.get_entity_label,
            opened.get_degree,
            opened.get_out_edges,
            opened.get_in_edges,
        ),
        *(opened.get_relation_name, opened.get_relation_label, opened.get_relation_step),
    ):
        with pytest.raises(DamagedError):
            read(wrong)
    with pytest.raises(DamagedError):
        opened.get_hop(wrong)
    opened.tails = np.full_like(opened.tails, wrong)
    with pytest.raises(DamagedError):
        opened.get_hop(0)


def test_the_list_of_checksums_is_read_strictly(copy):
    for text in ("", "[]", "{}", '{"own": 1}', "[" * 100_000, json.dumps({"files": {}, "own": "x"})):
        (copy / "checksums.json").write_text(text)
        with pytest.raises(DamagedError, match=r"checksums\.json"):
            snapshot.open(copy)
