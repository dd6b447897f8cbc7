"""The preview of a question file: what it is taken for, and its first questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.kg.readers.options import DETECTED, ReadOptions
from retrieval.kg.readers.preview import Preview
from retrieval.kg.readers.preview_sample import ROWS, describe_encoding, look, raw_lines, sample
from retrieval.kg.readers.sources import Source, is_parquet
from retrieval.questions import files
from retrieval.questions.formats import FORMATS
from retrieval.types import Problem


def preview_questions(path: Path, name: str, options: ReadOptions) -> Preview:
    """See :func:`retrieval.questions.preview_questions`."""
    return look(path, name, "questions", options, preview_file)


def preview_file(file: Path, found: Preview, options: ReadOptions) -> Preview:
    """The preview of a file that is no archive, out of one that only has a name."""
    problems: list[Problem] = []
    if options.encoding:
        found = replace(found, encoding=options.encoding)
    elif not is_parquet(file):
        detected = Source(file, name=found.name).detected
        notes = describe_encoding(detected)
        found = replace(found, encoding=detected.name if detected else found.encoding, notes=notes)
    options = replace(options, encoding=found.encoding)
    chosen = options.format if options.format not in DETECTED else files.detect_format(file, options)
    others = tuple(one for one in FORMATS if one != chosen)
    found = replace(found, format=chosen, alternatives=others, raw=raw_lines(file, found.encoding))
    with sample(file, found) as (part, whole):
        try:
            questions = files.read_questions(part, ReadOptions(format=chosen), problems=problems.append)
        except SourceError as error:
            said = str(error) if whole else "The first part of the file shows no question."
            return replace(found, notes=(*found.notes, said), problems=tuple(problems[:ROWS]), refused=whole)
    rows = tuple((q.question, "; ".join(q.topic_entities), "; ".join(q.answers)) for q in questions[:ROWS])
    problems = [replace(problem, file=found.name) for problem in problems]
    return replace(
        found, titles=("question", "topics", "answers"), rows=rows, problems=tuple(problems[:ROWS])
    )
