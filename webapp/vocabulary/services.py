"""Changing the vocabulary of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from retrieval.language.english import STOP
from retrieval.language.question import Question
from webapp.accounts.models import User
from webapp.api.errors import InvalidError
from webapp.graphs.models import Graph
from webapp.vocabulary.models import VocabularyEntry

SYNONYMS_MAX = 1_000
SYNONYM_LENGTH_MAX = 100
ENTRIES_MAX = 5_000


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A term as somebody describes it."""

    category: str
    name: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    unit: str = ""


def clean_synonyms(synonyms: Sequence[str]) -> tuple[str, ...]:
    """The synonyms without surplus spaces and repetitions, in their order.

    Raises:
        InvalidError: one has no word that says something, or they are too many.
    """
    cleaned: dict[str, str] = {}
    for text in (" ".join(synonym.split()) for synonym in synonyms):
        cleaned.setdefault(text.casefold(), text)
    texts = tuple(cleaned.values())
    for text in texts:
        if all(word.text in STOP for word in Question(text).words.words):
            raise InvalidError(
                f"“{text}” cannot be a synonym: every question could contain it.",
                hint="Use at least one word that says something, such as “flies to”.",
            )
    if len(texts) > SYNONYMS_MAX:
        raise InvalidError(
            f"{len(texts):,} synonyms are too many: a term has at most {SYNONYMS_MAX:,}.",
            hint="Keep the wordings that people use in questions.",
        )
    return texts


@transaction.atomic
def save_entries(*, graph: Graph, entries: Sequence[NewEntry], user: User) -> None:
    """Describe terms of a graph; an entry of the same term is replaced, others stay.

    Raises:
        InvalidError: see :func:`clean_synonyms`; nothing is saved then.
    """
    for entry in entries:
        VocabularyEntry.objects.update_or_create(
            graph=graph,
            category=entry.category,
            name=entry.name,
            defaults={
                "description": entry.description,
                "synonyms": list(clean_synonyms(entry.synonyms)),
                "unit": entry.unit,
                "updated_by": user,
            },
        )


def delete_entry(*, graph: Graph, category: str, name: str) -> None:
    """Forget what people said of a term; what came with the files holds again."""
    VocabularyEntry.objects.filter(graph=graph, category=category, name=name).delete()
