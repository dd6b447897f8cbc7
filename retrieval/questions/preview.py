"""The preview of a question file: what it is taken for, and its first questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.kg.readers.options import DETECTED, ReadOptions
from retrieval.kg.readers.preview import Preview
from retrieval.kg.readers.preview_sample import ROWS, describe_encoding, read_preview, read_raw_lines, sample
from retrieval.kg.readers.sources import Source, is_parquet
from retrieval.questions.files import read_questions
from retrieval.questions.format_detection import detect_format
from retrieval.questions.formats import FORMATS
from retrieval.types import Problem


def preview_questions(path: Path, name: str, options: ReadOptions) -> Preview:
    """See :func:`retrieval.questions.preview_questions`."""
    return read_preview(path, name, "questions", options, preview_file)


def preview_file(file: Path, preview: Preview, options: ReadOptions) -> Preview:
    """The preview of a file that is no archive, out of one that only has a name."""
    problems: list[Problem] = []
    if options.encoding:
        preview = replace(preview, encoding=options.encoding)
    elif not is_parquet(file):
        detected = Source(file, name=preview.name).detected
        notes = describe_encoding(detected)
        preview = replace(preview, encoding=detected.name if detected else preview.encoding, notes=notes)
    options = replace(options, encoding=preview.encoding)
    chosen = options.format if options.format not in DETECTED else detect_format(file, options)
    others = tuple(name for name in FORMATS if name != chosen)
    preview = replace(preview, format=chosen, alternatives=others, raw=read_raw_lines(file, preview.encoding))
    with sample(file, preview) as (part, is_complete):
        try:
            questions = read_questions(part, ReadOptions(format=chosen), problems=problems.append)
        except SourceError as error:
            message = str(error) if is_complete else "The first part of the file shows no question."
            return replace(
                preview, notes=(*preview.notes, message), problems=tuple(problems[:ROWS]), refused=is_complete
            )
    rows = tuple((q.question, "; ".join(q.topic_entities), "; ".join(q.answers)) for q in questions[:ROWS])
    problems = [replace(problem, file=preview.name) for problem in problems]
    return replace(preview, titles=("question", "topics", "answers"), rows=rows, problems=tuple(problems[:ROWS]))
