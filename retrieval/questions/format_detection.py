"""Which format a question file has, told by its first lines or columns."""

from __future__ import annotations

import re
from pathlib import Path

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers.archive_kinds import detect_archive_kind
from retrieval.kg.readers.archives import unpack_files
from retrieval.kg.readers.documents.records import detect_passage_format
from retrieval.kg.readers.options import DETECT, ReadOptions
from retrieval.kg.readers.question_files import MARK
from retrieval.kg.readers.sources import Source, is_parquet
from retrieval.questions.formats import FORMATS

HINT = "A question set is JSONL with id, question, topic_entities and answers, or one of: " + ", ".join(FORMATS)


def detect_format(path: Path | str, options: ReadOptions = DETECT) -> str:
    """The format, one of ``FORMATS``, that :func:`read_questions` takes a file for when none is named.

    Raises:
        SourceError: the file cannot be read, or looks like none of them.
    """
    file, encoding = Path(path), options.encoding
    if detect_archive_kind(file) is None:
        return infer_file_format(file, None if is_parquet(file) else open_source(file, encoding))
    with unpack_files([file]) as members:
        for member in members:
            try:
                return infer_file_format(
                    member.path, None if is_parquet(member.path) else open_source(member.path, encoding, member.name)
                )
            except SourceError:
                continue
    raise SourceError(f"No file of {file.name} could be recognised as a question set.", hint=HINT + ".")


def infer_file_format(file: Path, source: Source | None) -> str:
    """The format of a file from its first lines, or of a Parquet file, without a source, from its columns."""
    if source is not None:
        return infer_format(source)
    from retrieval.kg.readers.parquet import open_parquet  # noqa: PLC0415 - only Parquet needs it

    names = set(open_parquet(file, file.name).collect_schema().names())
    if names & {"q_entity", "a_entity"}:
        return "rog"
    if names & {"graph_query", "s_expression"}:
        return "grailqa"
    if "paragraphs" in names:
        return "musique"
    return "hotpotqa" if "context" in names else "jsonl"


def infer_format(source: Source) -> str:
    """The format of a question file from its first lines.

    Raises:
        SourceError: it looks like none of them.
    """
    text = source.decode_head().lstrip()
    if text.startswith("{") or re.match(r"\[\s*[{\]]", text):
        if re.search(r'"(q_entity|a_entity)"\s*:', text):
            return "rog"
        if re.search(r'"(graph_query|s_expression)"\s*:', text):
            return "grailqa"
        if re.search(r'"subgraph"\s*:\s*\{', text):
            return "graftnet"
        format_name = detect_passage_format(text)
        return format_name if format_name in ("hotpotqa", "musique") else "jsonl"
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    if any(len(parts := line.split("\t")) >= 2 and parts[1].rstrip().endswith("/)") for line in lines):
        return "pathquestion"
    if any("\t" in line and MARK.search(line.split("\t")[0]) for line in lines):
        return "metaqa"
    raise SourceError(f"The format of {source.name} could not be recognised as a question set.", hint=HINT + ".")


def open_source(file: Path, encoding: str | None = None, name: str | None = None) -> Source:
    """The file as text.

    Raises:
        EmptySourceError: it is empty.
    """
    try:
        return Source(file, encoding=encoding, name=name)
    except EmptySourceError:
        raise make_empty_error(name or file.name) from None


def make_empty_error(file: str) -> EmptySourceError:
    """What is raised of a file without questions."""
    return EmptySourceError(
        f"There is no question in {file}: the file is empty.",
        hint="Choose a file that holds questions; if this one should, write or upload it again.",
    )
