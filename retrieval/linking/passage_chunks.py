"""Vectors of passages and of their sentences in files of some passages each, so that a stopped build goes on.

On a processor several processes fill them, each with one thread: threads of one process wait for each other at every
step of a model as small as this, and the slowest of them keeps the others.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval import environment
from retrieval.errors import Cancelled, ClewError, IndexingError, SourceError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.readers import child_process
from retrieval.kg.readers.documents.sentences import split_sentences
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.passages import PassageTable
from retrieval.linking import encoder as encoders
from retrieval.linking.encoder import Encoder

#: A process of its own has to load the encoder first, which takes as long as some hundred passages.
CHUNKS_EACH = 2
#: How much a process of its own gives way to others that want the processor: people's questions come first.
NICE = 5
#: How often a build is asked whether to stop, in seconds.
_TICK_S = 0.2


@dataclass(frozen=True, slots=True)
class Chunks:
    """The pieces that an index is built in.

    Attributes:
        folder: where they are written.
        count: passages of the graph.
        size: passages of a piece; the last may be smaller.
    """

    folder: Path
    count: int
    size: int

    def __iter__(self) -> Iterator[range]:
        return (range(start, min(start + self.size, self.count)) for start in range(0, self.count, self.size))

    def get_path(self, ids: range, name: str) -> Path:
        """Where an array of a piece is kept: ``vectors``, ``sentences`` or ``lengths``."""
        return self.folder / f"{ids.start:09d}.{name}.npy"

    def is_there(self, ids: range) -> bool:
        """Whether a piece has been written; its lengths are written last."""
        return self.get_path(ids, "lengths").is_file()

    def find_missing(self) -> list[range]:
        """The pieces that have not been written."""
        return [ids for ids in self if not self.is_there(ids)]

    def claim(self, ids: range) -> bool:
        """Take a piece on, unless another process has or it is there."""
        try:
            self._get_claim_path(ids).touch(exist_ok=False)
        except FileExistsError:
            return False
        return not self.is_there(ids)

    def clear_claims(self) -> None:
        """Forget who took what on; nobody may be at work."""
        for file in self.folder.glob("*.claimed"):
            file.unlink(missing_ok=True)

    def _get_claim_path(self, ids: range) -> Path:
        return self.folder / f"{ids.start:09d}.claimed"


def write_chunks(
    snapshot: Snapshot,
    table: PassageTable,
    chunks: Chunks,
    encoder: Encoder,
    *,
    done: Callable[[int], None],
    stop: Callable[[], None],
) -> None:
    """Write all pieces that are missing, in several processes where that is worth their start.

    Args:
        snapshot: the graph, which other processes open by its path.
        chunks: where the pieces are.
        done: called after each piece with the number of passages of all that are there.
        stop: called often; may raise to break off.

    Raises:
        IndexingError: a process of its own broke.
    """
    chunks.clear_claims()
    missing = chunks.find_missing()
    processes = count(encoder, len(missing))
    if processes > 1:
        _run_processes(snapshot, chunks, encoder, processes, done=done, stop=stop)
        chunks.clear_claims()
    missing = chunks.find_missing()
    there = chunks.count - sum(map(len, missing))
    for ids in missing:
        stop()
        encode(table, ids, chunks, encoder, stop)
        there += len(ids)
        done(there)


def count(encoder: Encoder, missing: int) -> int:
    """How many processes so many pieces are encoded in; 1 for this one."""
    several = min(environment.count_index_processes(), missing // CHUNKS_EACH)
    if several < 2 or encoder.device != "cpu" or encoder.source is None:
        return 1
    return several


def encode(table: PassageTable, ids: range, chunks: Chunks, encoder: Encoder, stop: Callable[[], None]) -> None:
    """Write one piece: the vectors of its passages and of their sentences."""
    passage_texts, parts, lengths = [], [], []
    for i in ids:
        title, text = table.get_title(i), table.get_text(i)
        spans = split_sentences(text)
        passage_texts.append(f"{title}. {text}" if title else text)
        parts += [f"{title}. {text[start:end]}" if title else text[start:end] for start, end in spans]
        lengths.append(len(spans))
    # What is said twice is encoded once: the sentence of a passage that has no other is the passage.
    places = {text: place for place, text in enumerate(dict.fromkeys(passage_texts + parts))}
    vectors = encoder.encode(list(places), progress=lambda _: stop(), rough=True).astype(np.float16)
    for name, texts in (("vectors", passage_texts), ("sentences", parts)):
        _save(chunks.get_path(ids, name), vectors[[places[text] for text in texts]])
    _save(chunks.get_path(ids, "lengths"), np.asarray(lengths, np.int64))


def _save(path: Path, values: np.ndarray) -> None:
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.save(file, values)
    part.replace(path)


def _run_processes(
    snapshot: Snapshot,
    chunks: Chunks,
    encoder: Encoder,
    processes: int,
    *,
    done: Callable[[int], None],
    stop: Callable[[], None],
) -> None:
    """Have other processes write the pieces, and wait for them. Who called is asked and told by this thread alone."""
    messages: queue.Queue[int | BaseException | None] = queue.Queue()
    over = threading.Event()

    def check() -> None:
        if over.is_set():
            raise Cancelled("Indexing was stopped.")

    def run_process() -> None:
        try:
            child_process.call(
                encode_claimed,
                snapshot.path,
                chunks,
                encoder.source,
                what="The passages",
                limits=child_process.Limits(memory=0, seconds=0.0),
                callbacks={"done": messages.put},
                check=check,
            )
            messages.put(None)
        except BaseException as error:  # it is raised where the build was asked for
            messages.put(error)

    threads = [threading.Thread(target=run_process, daemon=True) for _ in range(processes)]
    there = chunks.count - sum(map(len, chunks.find_missing()))
    try:
        for thread in threads:
            thread.start()
        running = processes
        while running:
            stop()
            try:
                what = messages.get(timeout=_TICK_S)
            except queue.Empty:
                continue
            if isinstance(what, BaseException):
                raise _convert_error(what)
            if what is None:
                running -= 1
            else:
                there += what
                done(there)
    finally:
        over.set()  # those that are still at work are ended
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _convert_error(error: BaseException) -> BaseException:
    """What to tell of an error of a process of its own."""
    if not isinstance(error, SourceError):
        return error if isinstance(error, (ClewError, OSError)) else IndexingError(f"Indexing broke: {error!r}")
    return IndexingError(
        f"Indexing broke in a process of its own. {error.message}",
        hint="What was indexed is kept: start it again. Where memory is short, set CLEW_INDEX_PROCESSES to 1.",
    )


def encode_claimed(path: Path, chunks: Chunks, source: str, *, done: Callable[[int], None]) -> None:
    """Write pieces that nobody else has taken on, with one thread, until there are none. Runs in a process of its own.

    Args:
        chunks: where the pieces are.
        source: what the encoder is loaded by.
        done: called after each piece with its number of passages.
    """
    import os  # noqa: PLC0415 - for what only a process of its own may do

    import torch  # noqa: PLC0415

    os.nice(NICE)
    torch.set_num_threads(1)
    encoder = encoders.load(source, device="cpu")
    table = snapshots.open(path).passages
    assert table is not None, "passages are there where they are indexed"
    for ids in chunks:
        if chunks.claim(ids):
            encode(table, ids, chunks, encoder, lambda: None)
            done(len(ids))
