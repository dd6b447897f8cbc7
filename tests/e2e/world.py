"""A tiny world that the browser test uploads: films, their directors and languages."""

from __future__ import annotations

import json
from pathlib import Path

DIRECTORS = ("Ada Quill", "Bo Marsh", "Cy Vane", "Di Orr", "Ed Pine", "Flo Reed", "Gus Holt", "Hal Yew")
LANGUAGES = ("Klingon", "Quenya", "Dothraki", "Esperanto")
FILMS_EACH = 5
TEMPLATES = (
    ("which films did {0} direct", "director"),
    ("name the movies made by {0}", "director"),
    ("who directed {0}", "film"),
    ("who is the director of {0}", "film"),
    ("which languages are spoken in the films directed by {0}", "director languages"),
    ("in what languages are the movies by {0}", "director languages"),
)


def films_of(director: int) -> list[str]:
    """Five films of each director."""
    return [f"The {director * FILMS_EACH + n + 1}th Lantern" for n in range(FILMS_EACH)]


def language_of(film: int) -> str:
    """Each director's films are in two languages."""
    return LANGUAGES[(film // FILMS_EACH + film % 2) % len(LANGUAGES)]


def facts() -> list[tuple[str, str, str]]:
    """Every fact of the world."""
    rows = []
    for number, director in enumerate(DIRECTORS):
        for offset, film in enumerate(films_of(number)):
            rows.append((film, "directed_by", director))
            rows.append((film, "in_language", language_of(number * FILMS_EACH + offset)))
    return rows


def questions() -> list[dict[str, object]]:
    """Questions with answers, made by executing their relation paths over the facts."""
    made: list[dict[str, object]] = []

    def add(text: str, topic: str, answers: set[str], hops: int) -> None:
        made.append(
            {
                "id": f"q{len(made)}",
                "question": text,
                "topic_entities": [topic],
                "answers": sorted(answers),
                "hops": hops,
                "split": "dev" if len(made) % 6 == 5 else "train",
            }
        )

    rows = facts()
    for number, director in enumerate(DIRECTORS):
        films = films_of(number)
        spoken = {tail for head, relation, tail in rows if relation == "in_language" and head in films}
        for template, kind in TEMPLATES:
            if kind == "director":
                add(template.format(director), director, set(films), 1)
            elif kind == "film":
                for film in films[:2]:
                    add(template.format(film), film, {director}, 1)
            else:
                add(template.format(director), director, spoken, 2)
    return made


def write(folder: Path) -> tuple[Path, Path]:
    """The graph file (with one bad row, line 3) and the question file."""
    lines = ["\t".join(row) for row in facts()]
    lines.insert(2, "a row without enough columns")
    graph = folder / "lanterns.tsv"
    graph.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = folder / "lantern_questions.jsonl"
    asked.write_text("\n".join(json.dumps(record) for record in questions()) + "\n", encoding="utf-8")
    return graph, asked
