"""Passages are encoded by several processes as by one; what goes wrong in one of them reaches who asked."""

from __future__ import annotations

import os
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from retrieval import environment
from retrieval.errors import Cancelled, ConfigError, IndexingError
from retrieval.kg.build import build_snapshot
from retrieval.kg.readers import child_process
from retrieval.kg.table import TripleTable
from retrieval.linking import encoder as encoders
from retrieval.linking import passage_chunks, passage_index
from retrieval.linking.passage_chunks import Chunks
from retrieval.types import Passage

COUNT, SIZE = 11, 2


@pytest.fixture(scope="module")
def encoder():
    return encoders.load(device="cpu")


@pytest.fixture
def graph(tmp_path, monkeypatch):
    monkeypatch.setattr(passage_index, "CHUNK", SIZE)
    monkeypatch.setattr(passage_chunks, "CHUNKS_EACH", 1)
    passages = [Passage(i, str(i), f"Town {i}", f"Town {i} has {i} bridges. It is by a river.") for i in range(COUNT)]
    return build_snapshot(TripleTable.from_facts([], passages=passages), tmp_path / "g")


@pytest.fixture
def children(monkeypatch):
    """The ids of the processes that were started, and how many there may be."""
    started = []
    init = child_process._Child.__init__

    def counted(self):
        init(self)
        started.append(self.process)

    child_process._Child.stop_idle()
    monkeypatch.setattr(child_process._Child, "__init__", counted)
    monkeypatch.setenv("CLEW_INDEX_PROCESSES", "2")
    return started


def arrays(directory):
    return [np.load(directory / f"{name}.npy") for name in ("vectors", "sentences", "sentence_offsets")]


@pytest.mark.slow
def test_two_processes_write_what_one_does(graph, encoder, children, monkeypatch):
    seen, nice, threads = [], [], set()

    def note(progress=None):
        threads.add(threading.get_ident())
        if progress is not None:
            seen.append(progress)
            nice.extend(os.getpriority(os.PRIO_PROCESS, child.pid) for child in children if child.poll() is None)
        return False

    target = passage_index.build(graph, encoder, progress=note, cancelled=note)
    together = arrays(target)
    assert len(children) == 2
    assert threads == {threading.get_ident()}, "who asked is called by the thread that asked"
    assert os.getpriority(os.PRIO_PROCESS, 0) + passage_chunks.NICE in nice, "they give way to questions"
    assert sorted(p.done for p in seen) == [p.done for p in seen]
    assert (len(seen), seen[-1].done, seen[-1].total) == (6, COUNT, COUNT)
    assert not list(target.parent.glob(".*.chunks"))

    for file in target.iterdir():
        file.unlink()
    monkeypatch.setenv("CLEW_INDEX_PROCESSES", "1")
    alone = arrays(passage_index.build(graph, encoder))
    assert len(children) == 2
    for one, two in zip(alone, together, strict=True):
        assert one.shape == two.shape
        assert one.dtype == two.dtype
        assert np.allclose(one.astype(float), two.astype(float), atol=5e-3)


@pytest.mark.slow
def test_what_is_there_is_not_encoded_again_and_claims_of_the_dead_are_forgotten(graph, encoder, children):
    chunks = Chunks(graph.path / "c", COUNT, SIZE)
    chunks.folder.mkdir()
    first, second, *_ = chunks
    passage_chunks.encode(graph.passages, first, chunks, encoder, lambda: None)
    written = chunks.get_path(first, "vectors").stat().st_mtime_ns
    assert chunks.claim(second)
    assert not chunks.claim(second)
    assert not chunks.claim(first)
    seen = []
    passage_chunks.write_chunks(graph, graph.passages, chunks, encoder, done=seen.append, stop=lambda: None)
    assert chunks.get_path(first, "vectors").stat().st_mtime_ns == written
    assert sorted(seen) == seen
    assert (len(seen), seen[-1], chunks.find_missing()) == (5, COUNT, [])
    assert not list(chunks.folder.glob("*.claimed"))


@pytest.mark.slow
def test_a_stop_ends_the_processes_and_keeps_what_was_written(graph, encoder, children):
    seen = []
    with pytest.raises(Cancelled):
        passage_index.build(graph, encoder, progress=seen.append, cancelled=lambda: bool(seen))
    assert all(child.poll() is not None for child in children)
    chunks = Chunks(
        passage_index.get_directory(graph, encoder.name).parent / f".passages-{encoder.name}.chunks",
        COUNT,
        SIZE,
    )
    kept = len(list(chunks)) - len(chunks.find_missing())
    assert kept >= 1
    seen.clear()
    passage_index.build(graph, encoder, progress=seen.append)
    assert len(seen) == 6 - kept


@pytest.mark.slow
def test_an_error_of_a_process_reaches_who_asked_and_ends_the_others(graph, encoder, children, monkeypatch):
    monkeypatch.setattr(encoder, "source", "no-such-encoder")
    with pytest.raises(ConfigError, match="no-such-encoder"):
        passage_index.build(graph, encoder)
    assert all(child.poll() is not None for child in children)


@pytest.mark.slow
def test_a_process_that_is_killed_is_told_with_what_to_do(graph, encoder, children):
    def kill(_):
        children[0].kill()

    with pytest.raises(IndexingError, match="Indexing broke in a process of its own") as caught:
        passage_index.build(graph, encoder, progress=kill)
    assert "CLEW_INDEX_PROCESSES" in caught.value.hint
    assert all(child.poll() is not None for child in children)


@pytest.mark.parametrize(
    ("device", "source", "missing", "allowed_expected"),
    [
        ("cpu", "a", 16, ("4", 4)),
        ("cpu", "a", 5, ("4", 2)),
        ("cpu", "a", 3, ("4", 1)),
        ("cpu", "a", 0, ("4", 1)),
        ("cpu", "a", 16, ("1", 1)),
        ("cpu", None, 16, ("4", 1)),
        ("cuda", "a", 16, ("4", 1)),
    ],
)
def test_how_many_processes_there_are(monkeypatch, device, source, missing, allowed_expected):
    allowed, expected = allowed_expected
    monkeypatch.setenv("CLEW_INDEX_PROCESSES", allowed)
    assert passage_chunks.count(SimpleNamespace(device=device, source=source), missing) == expected


def test_the_setting_follows_the_cores():
    assert 1 <= environment.count_index_processes({}) <= environment.INDEX_PROCESSES_MAX
    assert environment.count_index_processes({"CLEW_INDEX_PROCESSES": " 3 "}) == 3
    for wrong in ("0", "-1", "x", "65", "٣"):
        with pytest.raises(ConfigError, match="CLEW_INDEX_PROCESSES"):
            environment.count_index_processes({"CLEW_INDEX_PROCESSES": wrong})
