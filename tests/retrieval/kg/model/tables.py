"""Tables for tests of the data model, read from text as they are from files."""

import tempfile
from pathlib import Path

from retrieval.kg.model.data_model import NO_CHOICES
from retrieval.kg.model.inference import infer_tables
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.table_rows import read_table


def build_table(name, text):
    """The rows of a file of this name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text(text, encoding="utf-8")
        return read_table(InputFile(path, name), ProblemLog(name, lambda problem: None)).table


def infer(choices=NO_CHOICES, **files):
    """What is inferred of files; ``films_csv`` is the content of ``films.csv``."""
    tables = [build_table(name.replace("_csv", ".csv"), text) for name, text in files.items()]
    return {one.table.name: one for one in infer_tables(tables, choices)}


def infer_names(name, text):
    """The columns that name the rows of a file, and what rows are called."""
    [inferred] = infer_tables([build_table(name, text)])
    return inferred.schema.names, tuple(inferred.schema.nouns)
