"""Every reader of foreign files against files that are broken at random, and against those that once froze the server.

Each input is looked at as a preview does and read as an import does, in a process with 1 GB that is ended after 5 s of
processor time for one input; the next goes on behind it. The first inputs, which froze the server among them, and every
tenth after them are built into a graph too. Inputs follow from reader, seed and number alone.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.errors import ClewError
from tests.benchmarks.fuzz_seeds import BAD, SEEDS, TOKENS
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks fuzz"
INPUTS = 20_500
SECONDS, MEMORY = 5, 1 << 30
LARGEST = 96 * 1024
MEMORY_DISK = Path("/dev/shm")
BUILT, BUILT_EVERY = 100, 10


@dataclass
class Found:
    """What became of the inputs of one reader."""

    inputs: int = 0
    uncaught: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    slowest: float = 0.0


def measure(count: int = INPUTS, readers: list[str] | None = None) -> list[Section]:
    """Try ``count`` inputs of each reader, two readers at a time."""
    chosen = readers or list(SEEDS)
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(chosen, pool.map(lambda reader: run(reader, count), chosen), strict=True))
    section = Section(
        "Damaged files",
        COMMAND,
        f"{len(chosen)} readers, {count:,} inputs each: valid files with parts changed, cut, repeated and mixed, and "
        f"the files that once froze the server. All are previewed and read; the first {BUILT} and every "
        f"{BUILT_EVERY}th are built into a graph too. *Ended*: inputs at which native code ended the process; Clew "
        "reads in a separate process and reports them as broken files.",
        head=("reader", "inputs", "uncaught", f"over {SECONDS} s", "over 1 GB", "ended", "slowest"),
    )
    for reader, one in found.items():
        counts = (one.inputs, len(one.uncaught), len(one.slow), len(one.large), len(one.ended))
        section.add(reader, *(f"{count:,}" for count in counts), f"{one.slowest:.2f} s")
        for kind in ("uncaught", "slow", "large"):
            for line in dict.fromkeys(getattr(one, kind)[:20]):
                print(f"{reader}: {kind}: {line}", flush=True)
    return [section]


def run(reader: str, count: int, seed: int = 0) -> Found:
    """Try inputs in processes, each of which goes on where the one before ended."""
    found, start = Found(), 0
    while start < count:
        start = _piece(reader, seed, start, count, found)
    found.inputs = count
    return found


def _piece(reader: str, seed: int, start: int, count: int, found: Found) -> int:
    """One process; the number of the input after the last that was tried."""
    command = [sys.executable, "-m", "tests.benchmarks.fuzz", reader, str(seed), str(start), str(count)]
    root = str(Path(__file__).resolve().parents[2])
    environment = os.environ | {"PYTHONPATH": root, "RUST_BACKTRACE": "0", "OPENBLAS_NUM_THREADS": "1"}
    at, errors = start, b""
    with (
        tempfile.TemporaryFile() as noise,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=noise, env=environment, cwd=root) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            kind, _, rest = line.decode().rstrip("\n").partition(" ")
            if kind == "at":
                at = int(rest)
            elif kind == "slowest":
                found.slowest = max(found.slowest, float(rest))
            else:
                getattr(found, kind).append(rest)
        status = process.wait()
        size = noise.seek(0, os.SEEK_END)
        noise.seek(max(0, size - 4096))
        errors = noise.read()
    if status == 0:
        return count
    place = f"input {at}, status {status}"
    if -status == signal.SIGPROF:
        found.slow.append(place)
    elif b"memory allocation" in errors:
        found.ended.append(f"{place}, memory")
    elif status < 0:
        found.ended.append(place)
    else:
        raise RuntimeError(errors.decode(errors="replace"))
    return at + 1


def inputs(reader: str, seed: int, start: int, count: int) -> Iterator[tuple[int, str, bytes]]:
    """Number, name and bytes of inputs; the first are the seeds and the samples as they are."""
    seeds, whole = SEEDS[reader], [*SEEDS[reader], *BAD.get(reader, [])]
    for number in range(start, count):
        if number < len(whole):
            yield (number, *whole[number])
            continue
        chance = random.Random(f"{reader}:{seed}:{number}")
        name, data = chance.choice(seeds)
        yield (
            number,
            name,
            mutated(data, [other for _, other in seeds], TOKENS.get(reader, TOKENS["*"]), chance),
        )


def mutated(data: bytes, others: list[bytes], tokens: list[bytes], chance: random.Random) -> bytes:
    """A file changed in one to six places."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(out) + 1)
        end = min(len(out), at + chance.choice((1, 2, 8, 64, 1000)))
        what = chance.randrange(10)
        if what == 0 and at < len(out):
            out[at] ^= 1 << chance.randrange(8)
        elif what == 1 and at < len(out):
            out[at] = chance.choice((0, 1, 9, 10, 13, 34, 39, 60, 92, 127, 128, 237, 255))
        elif what == 2:
            del out[at:end]
        elif what == 3:
            out[at:at] = out[at:end] * chance.choice((1, 2, 50, 2000))
        elif what == 4:
            out[at:at] = chance.choice(tokens) * chance.choice((1, 1, 3, 100, 5000))
        elif what == 5:
            other = chance.choice(others)
            cut = chance.randrange(len(other) + 1)
            out[at:] = other[cut:]
        elif what == 6:
            del out[at:]
        elif what == 7:
            out[at:at] = chance.randbytes(chance.choice((1, 4, 300)))
        elif what == 8:
            out[at:end] = chance.choice(
                (b"0", b"-1", b"1e999", b"99999999999999999999", b"9" * 5000, b"NaN", b"2147483648")
            )
        else:
            out[at:at] = bytes([chance.choice(b" \n.[({<\"'&#*_|,;\t\\")]) * chance.choice((10, 1000, 30_000))
        del out[LARGEST:]
    return bytes(out)


def tried(reader: str, path: Path, *, built: bool) -> None:
    """Look at one file and read it; where ``built``, build a graph of it too.

    Raises:
        Exception: anything but a ``ClewError`` is a fault.
    """
    from retrieval.kg.build.from_files import write_version
    from retrieval.kg.readers import read_graph, read_preview
    from retrieval.questions import preview_questions
    from retrieval.questions.files import read_questions

    def read() -> None:
        if asked:
            read_questions(path, problems=_use)
            return
        if not built:
            read_graph([path], problems=_use)
            return
        out = path.with_name("graph")
        write_version([path], out, problems=_use, progress=lambda _: None)
        shutil.rmtree(out)

    asked = reader == "questions"
    for work in (lambda: (preview_questions if asked else read_preview)(path), read):
        try:
            work()
        except ClewError as error:
            str(error).encode()


def _use(problem: Any) -> None:
    """What is done with a problem: it is stored as text."""
    f"{problem.file}{problem.message}{problem.text}".encode()


def _child(reader: str, seed: int, start: int, count: int) -> None:
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    import retrieval.kg.readers.graph_preview  # noqa: F401 - its time is nobody's

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.fsync = lambda _: None  # nothing is kept
    slowest = 0.0
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as folder:
        for number, name, data in inputs(reader, seed, start, count):
            path = Path(folder, name)
            path.write_bytes(data)
            print("at", number, file=out)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            began = time.process_time()
            try:
                tried(reader, path, built=number < BUILT or number % BUILT_EVERY == 0)
            except MemoryError:
                print("large", f"input {number}", file=out)
            except BaseException as error:
                frame = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(frame.filename).name}:{frame.lineno}"
                print(
                    "uncaught",
                    json.dumps(f"input {number}: {where} {type(error).__name__}: {error}"[:300]),
                    file=out,
                )
            slowest = max(slowest, time.process_time() - began)
    print("slowest", slowest, file=out)


if __name__ == "__main__":
    _child(sys.argv[1], *map(int, sys.argv[2:5]))
