"""Files straight into a snapshot: rows are numbered as they are read, and never all held as text. Needs polars.

The same directory, byte for byte, as reading all files into a table and building it. In memory are the distinct labels
and at most ``memory`` bytes of numbered rows or sort keys at a time; the rest of them waits on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from retrieval.errors import EmptySourceError
from retrieval.kg.build.fact_rows import MEMORY
from retrieval.kg.build.from_table import build_snapshot, require_snapshot_directory, write_snapshot
from retrieval.kg.build.id_encoding import IdEncoder
from retrieval.kg.build.progress import BuildProgress
from retrieval.kg.build.versions import merge, remove_facts
from retrieval.kg.readers import read_graph
from retrieval.kg.readers.options import DETECT, ReadOptions
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.storage import publish_directory
from retrieval.types import Problem, Progress, SourceReport


def write_version(
    paths: Sequence[Path],
    out: Path,
    options: ReadOptions = DETECT,
    *,
    base: Path | None = None,
    removing: bool = False,
    names: Mapping[Path, str] | None = None,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None],
) -> tuple[SourceReport, ...]:
    """A new version of a graph from files, as one piece of work that a process of its own can do.

    Args:
        options, names, problems, progress: see :func:`build_from_files`.
        base: the version before, whose facts go in too, or from which those of the files are taken.
        removing: whether they are taken out of ``base``.

    Raises:
        EmptySourceError: nothing would be left of the graph; or as :func:`build_from_files`, like all others.
    """
    before = Snapshot(base) if base is not None else None
    if not removing or before is None:
        return build_from_files(paths, out, options, problems=problems, progress=progress, names=names, base=before)[1]
    table = read_graph(paths, options, problems=problems, progress=progress, names=names)
    left = remove_facts(before, table)
    if not len(left) and (left.passages is None or not left.passages.height):
        raise EmptySourceError("Nothing would be left of the graph.", hint="Delete the graph, or remove less of it.")
    build_snapshot(left, out, progress=progress)
    return table.reports


def build_from_files(
    paths: Path | str | Sequence[Path | str],
    out: Path | str,
    options: ReadOptions = DETECT,
    *,
    problems: Callable[[Problem], None],
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    memory: int = MEMORY,
    names: Mapping[Path, str] | None = None,
    base: Snapshot | None = None,
) -> tuple[Snapshot, tuple[SourceReport, ...]]:
    """Read files and write their snapshot to ``out`` (beside it, then renamed into place).

    Args:
        paths, options, problems, names: see :func:`retrieval.kg.readers.read_graph`.
        progress: called with bytes read and with stages.
        memory: bytes of rows and of keys to hold. Formats other than delimited rows and RDF are read whole all the
            same, and so is what is added to a graph with IRIs.
        base: a graph whose facts go in too, see :func:`retrieval.kg.build.versions.merge`.

    Returns:
        The snapshot, and what was read of each file.

    Raises:
        EmptySourceError, SourceError, ConfigError: as :func:`retrieval.kg.readers.read_graph`.
        SnapshotError: ``out`` exists and is not a snapshot.
        StorageFullError: the disk has no room; nothing is left behind.
        Cancelled: nothing is left behind.
    """
    place, steps = Path(out), BuildProgress(progress, cancelled)
    require_snapshot_directory(place)
    with publish_directory(place) as directory:
        encoder = IdEncoder(directory, memory)
        table = read_graph(
            paths,
            options,
            problems=problems,
            progress=steps.forward_progress,
            names=names,
            sink=None if base is not None and base.has_iris else encoder,
        )
        if base is not None:
            table = merge(base, table)
        write_snapshot(directory, table, encoder, steps)
    steps.mark_done("snapshot ready")
    return Snapshot(place), table.reports
