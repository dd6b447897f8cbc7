"""Passages in JSON: one passage an object, or the questions of HotpotQA, 2Wiki and MuSiQue with theirs.

These sets bring with each question the paragraphs to read, the supporting ones among them. A paragraph is the
same passage wherever it occurs, named by its title and a digest of its text, so that the corpus and the question
set may be made from the file one after the other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from retrieval.types import Passage

Triple = tuple[str, str, str]


class BadRecord(ValueError):
    """Why a row cannot be used."""


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """A passage and the triples that were extracted from it."""

    passage: Passage
    triples: tuple[Triple, ...] = ()
    supporting: bool = False


def detect_passage_format(text: str) -> str | None:
    """Which of ``PASSAGE_FORMATS`` a JSON file is, or None."""
    if re.search(r'"paragraph_text"\s*:', text):
        return "musique"
    if re.search(r'"context"\s*:', text) and re.search(r'"question"\s*:', text):
        return "hotpotqa"
    return "passages" if re.search(r'"(text|contents)"\s*:', text) else None


def parse_passage(row: Any, default_name: str) -> PassageRecord:
    """A row of a passages file: ``text`` (or ``contents``), and what it has of ``id``, ``title``, ``document``,
    ``url`` and ``triples``.

    Raises:
        BadRecord: there is no text, or the triples are none.
    """
    if not isinstance(row, dict):
        raise BadRecord("not a JSON object")
    text = row.get("text", row.get("contents"))
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = " ".join(part.strip() for part in text)
    if not isinstance(text, str):
        raise BadRecord("there is no text")
    name = next((str(row[key]).strip() for key in ("id", "_id", "name") if row.get(key) not in (None, "")), "")
    triples = row.get("triples") or []
    if not isinstance(triples, list):
        raise BadRecord("triples must be a list of [head, relation, tail]")
    title, document, url = (_normalize_spaces(row.get(key)) for key in ("title", "document", "url"))
    passage = Passage(0, name or default_name, title, text.strip(), document, url)
    if not passage.text:
        raise BadRecord("the text is empty")
    return PassageRecord(passage, tuple(_parse_triple(triple) for triple in triples))


def parse_question(row: Any) -> list[PassageRecord]:
    """The paragraphs of a question of HotpotQA or 2Wiki (``context``) or MuSiQue (``paragraphs``).

    Raises:
        BadRecord: it brings none.
    """
    if not isinstance(row, dict):
        raise BadRecord("not a JSON object")
    records = list(_parse_paragraphs(row) if "paragraphs" in row else _parse_context(row))
    if not records:
        raise BadRecord("there are no passages (neither context nor paragraphs)")
    return records


def _parse_paragraphs(row: dict[str, Any]) -> Iterator[PassageRecord]:
    for item in row["paragraphs"] or []:
        if not isinstance(item, dict) or not isinstance(item.get("paragraph_text"), str):
            raise BadRecord("a paragraph has no paragraph_text")
        yield _make_record(
            _normalize_spaces(item.get("title")),
            item["paragraph_text"],
            supporting=item.get("is_supporting") is True,
        )


def _parse_context(row: dict[str, Any]) -> Iterator[PassageRecord]:
    """``[[title, [sentence, ...]], ...]``, or ``{title: [...], sentences: [...]}`` as Hugging Face keeps it."""
    context, facts = row.get("context") or [], row.get("supporting_facts") or []
    pairs = context
    if isinstance(context, dict):
        pairs = list(zip(context.get("title", []), context.get("sentences", []), strict=False))
    titles = facts.get("title", []) if isinstance(facts, dict) else [fact[0] for fact in facts if fact]
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[1], (list, tuple, str)):
            raise BadRecord("context must hold [title, sentences] lists")
        sentences = [pair[1]] if isinstance(pair[1], str) else [str(sentence).strip() for sentence in pair[1]]
        yield _make_record(_normalize_spaces(pair[0]), " ".join(sentences), supporting=pair[0] in titles)


def _make_record(title: str, text: str, *, supporting: bool) -> PassageRecord:
    text = text.strip()
    digest = hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:10]
    return PassageRecord(Passage(0, f"{title} [{digest}]".strip(), title, text), supporting=supporting and bool(text))


def _parse_triple(value: Any) -> Triple:
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise BadRecord("triples must hold [head, relation, tail] lists")
    head, relation, tail = (" ".join(str(part).split()) for part in value)
    return head, relation, tail


def _normalize_spaces(value: Any) -> str:
    return " ".join(str(value).split()) if value is not None else ""
