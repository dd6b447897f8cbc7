"""Question sets: Clew's own JSONL, and importers for those that are published; see docs/formats.md.

A bad row is reported by file and line and the good rows go in. Standard library only, except that
Parquet files load polars.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from retrieval.errors import ConfigError, EmptySourceError, SourceError
from retrieval.kg.readers.archive_kinds import Unpacked
from retrieval.kg.readers.archives import unpack_files
from retrieval.kg.readers.json_rows import read_json_rows
from retrieval.kg.readers.options import DETECT, DETECTED, ReadOptions
from retrieval.kg.readers.question_files import BadRow
from retrieval.kg.readers.sources import Source, is_parquet
from retrieval.questions.format_detection import HINT, detect_format, infer_file_format, make_empty_error, open_source
from retrieval.questions.formats import FORMATS, validate_question
from retrieval.questions.leftovers import Leftovers, select_graph_questions
from retrieval.types import Problem, QuestionRecord

PROBLEM_LIMIT = 1000
_HOPS = re.compile(r"(?<![a-z0-9])([1-9])[-_ ]?h(?:ops?)?(?![a-z0-9])", re.IGNORECASE)

#: Splits as names of files tell them.
_SPLIT_NAMES = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "val": "dev", "test": "test"}
_SPLIT = re.compile(r"(?<![a-z])(train|dev|validation|valid|val|test)(?![a-z])[^/]*$", re.IGNORECASE)

_Row = tuple[int, Any]


def read_questions(
    path: Path | str,
    options: ReadOptions = DETECT,
    *,
    problems: Callable[[Problem], None],
    hops: int | None = None,
    graph: str | None = None,
) -> list[QuestionRecord]:
    """Read a question set, compressed or not, or the question files of an archive.

    In an archive, files that hold no questions are problems, not errors, as long as one file does; where their names
    tell train, dev and test apart, questions without a split of their own get it from there.

    Args:
        options: its format, one of ``FORMATS``, and the encoding of its text; what else they say is of graphs.
        problems: called for each bad row; at most ``PROBLEM_LIMIT`` are named one by one.
        graph: name of the graph that they are for: where the questions name graphs and this is one of them, those of
            others are left out. What is left out, and what of a file is not read, is told as a problem of line 0.
        hops: of every question; None takes it from the row, the gold path, or the file's name (``2-hop``).

    Returns:
        The good questions in file order, with distinct ids. ``split`` is None where the file gives none:
        see :func:`assign_splits`.

    Raises:
        EmptySourceError: no row could be used; says why.
        SourceError: the file cannot be read, or its format cannot be guessed.
        ConfigError: the format or the encoding is unknown.
    """
    if options.format not in (*DETECTED, *FORMATS):
        raise ConfigError(
            f"The question format {options.format!r} is unknown.", hint=f"Use one of: {', '.join(FORMATS)}."
        )
    collected = _CollectedQuestions()
    with unpack_files([Path(path)]) as files:
        archive = files[0].archive if files else ""
        splits = _detect_splits([file.name for file in files]) if archive else {}
        refused: list[SourceError] = []
        for file in files:
            log = _Log(file.name, problems)
            try:
                _read_file(file, collected, log, _FileOptions(options, hops, splits.get(file.name)))
            except SourceError as error:
                if not archive:
                    raise
                refused.append(error)
                log.add(0, f"this file of the archive was left out: {error.message}")
        if not collected.questions:
            raise refused[0]
        kept, note = select_graph_questions(collected.questions, collected.graphs, graph)
        if note:
            _Log(Path(path).name, problems).add(0, note)
    return list(kept.values())


def read_set(
    path: Path, options: ReadOptions, graph: str | None = None
) -> tuple[str, list[QuestionRecord], list[Problem]]:
    """The format of a question file, its questions and its problems, as one piece of work for a process of its own.

    Raises:
        SourceError, ConfigError: as :func:`read_questions`.
    """
    # The set says what the file was, not that someone left it to be found out.
    chosen = options.format if options.format not in DETECTED else detect_format(path, options)
    problems: list[Problem] = []
    questions = read_questions(path, replace(options, format=chosen), problems=problems.append, graph=graph)
    return chosen, questions, problems


@dataclass(frozen=True, slots=True)
class _FileOptions:
    """What is said of a file beyond its bytes; None of each guesses, or leaves out."""

    options: ReadOptions
    hops: int | None
    split: str | None


@dataclass(slots=True)
class _CollectedQuestions:
    """Good questions by id, and where each was."""

    questions: dict[str, QuestionRecord] = field(default_factory=dict)
    graphs: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


def _read_file(file: Unpacked, collected: _CollectedQuestions, log: _Log, file_options: _FileOptions) -> None:
    """Add the good questions of one file."""
    source = None if is_parquet(file.path) else open_source(file.path, file_options.options.encoding, file.name)
    wanted_format = file_options.options.format
    chosen = wanted_format if wanted_format not in DETECTED else infer_file_format(file.path, source)
    hops = file_options.hops
    inside = file.name.removeprefix(f"{file.archive}/")
    if hops is None and (hops_match := _HOPS.search(inside if file.archive else f"{file.path.parent.name}/{inside}")):
        hops = int(hops_match[1])
    parse = FORMATS[chosen].parse
    if source is None:
        rows = _read_parquet_rows(file)
    elif FORMATS[chosen].is_json:
        rows = read_json_rows(source, log.add)
    else:
        rows = _read_text_rows(source, log)
    stem = inside.split(".")[0].replace("/", ".")
    good, left = 0, Leftovers()
    for line, row in rows:
        try:
            question = validate_question(parse(row, f"{stem}-{line}", hops))
            if question.id in collected.questions:
                raise BadRow(f"the id {question.id!r} was used before, {collected.places[question.id]}")
        except BadRow as error:
            log.add(line, str(error), row if isinstance(row, str) else json.dumps(row, default=str)[:400])
            continue
        if file_options.split and not question.split:
            question = replace(question, split=file_options.split)
        good += 1
        if chosen == "jsonl":
            left.add(row, question)
        collected.questions[question.id] = question
        collected.places[question.id] = f"on line {line} of {file.name}" if file.archive else f"on line {line}"
    log.close(good)
    collected.graphs.update(left.graphs)
    for note in left.list_notes():
        log.add(0, note)


def _detect_splits(names: Sequence[str]) -> dict[str, str]:
    """The split of each file of an archive by its name, where the names tell at least two apart."""
    splits = {name: _SPLIT_NAMES[match[1].lower()] for name in names if (match := _SPLIT.search(name))}
    return splits if len(set(splits.values())) > 1 else {}


def write_questions(path: Path | str, questions: Iterable[QuestionRecord]) -> None:
    """Write questions as JSONL (gzipped when the name ends in ``.gz``), empty fields left out, atomically."""
    out = Path(path)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.parent / f".{out.name}.{uuid.uuid4().hex[:8]}"
    try:
        with part.open("wb") as raw:
            text = "".join(json.dumps(to_json(q), ensure_ascii=False) + "\n" for q in questions).encode()
            # No time stamp in the gzip header: equal questions make equal files.
            raw.write(gzip.compress(text, mtime=0) if out.suffix == ".gz" else text)
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def to_json(question: QuestionRecord) -> dict[str, Any]:
    """A question as one object of a question set."""
    body = asdict(question)
    kept = ("id", "question", "topic_entities", "answers")
    return {key: value for key, value in body.items() if key in kept or value not in (None, ())}


class _Log:
    """Reports bad rows, at most ``PROBLEM_LIMIT`` singly."""

    def __init__(self, file: str, report: Callable[[Problem], None]) -> None:
        self._file = file
        self._report = report
        self._count = 0
        self._first: list[str] = []

    def add(self, line: int, message: str, text: str = "", kind: str = "row") -> None:
        self._count += 1
        if len(self._first) < 3:
            self._first.append(f"line {line}: {message}")
        if self._count <= PROBLEM_LIMIT:
            self._report(Problem(self._file, line, message, text.strip()[:200].replace("\0", "\u2400"), kind))

    def close(self, good: int) -> None:
        if self._count > PROBLEM_LIMIT:
            more = f"{self._count - PROBLEM_LIMIT:,} more rows of this file could not be used"
            self._report(Problem(self._file, 0, more))
        if not good and not self._first:
            raise make_empty_error(self._file)
        if not good:
            reasons = "; ".join(self._first)
            raise EmptySourceError(f"No question of {self._file} could be used ({reasons}).", hint=HINT + ".")


def _read_text_rows(source: Source, log: _Log) -> Iterator[_Row]:
    """Lines that are not blank, with their numbers."""
    for first, block in source.read_blocks(log.add):
        for number, raw in enumerate(block.split(b"\n"), first):
            try:
                line = raw.decode().strip("\r")
            except UnicodeDecodeError as error:
                log.add(number, f"not UTF-8 text (byte {error.start + 1} of the line)", repr(raw[:100]), "encoding")
                continue
            if line.strip():
                yield number, line


def _read_parquet_rows(file: Unpacked) -> Iterator[_Row]:
    from retrieval.kg.readers.parquet import iter_rows, open_parquet  # noqa: PLC0415 - only Parquet needs it

    yield from iter_rows(open_parquet(file.path, file.name), file.name)
