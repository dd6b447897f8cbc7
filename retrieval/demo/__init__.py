"""The demo graph and its questions: world geography, people and works, written for the project."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent

FACTS: tuple[Path, ...] = tuple(_HERE / "facts" / name for name in ("geography.tsv", "people.tsv", "works.tsv"))
"""The files of the graph, tab-separated with a header line: head, relation, tail."""

QUESTIONS: dict[str, Path] = {split: _HERE / "questions" / f"{split}.jsonl" for split in ("train", "dev", "test")}
"""The question files by split."""

METHOD = "rel-rag-path"
"""The method that the demo graph is asked with."""

CHECKPOINT: Path = _HERE / "checkpoint"
"""Its trained retriever, built by ``python -m retrieval build-weights demo``."""

EXAMPLES: tuple[str, ...] = (
    "Which languages are spoken in the countries that border Switzerland?",
    "Which films directed by Martin Scorsese star Leonardo DiCaprio?",
    "Which composers based a work on Romeo and Juliet?",
    "Which countries border both France and Germany?",
    "In which cities can you see paintings by Johannes Vermeer?",
    "Where was the author of the book behind Blade Runner born?",
)
"""Questions to offer a person who has asked nothing yet. Each has an answer in the graph."""
