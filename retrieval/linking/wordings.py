"""A question in the labels of a graph, for retrievers that were trained with these."""

from __future__ import annotations

from retrieval.kg.snapshot.renaming import RenamedSnapshot
from retrieval.language.question import Question
from retrieval.language.words import get_label_stems


def restore_labels(text: str, snapshot: RenamedSnapshot) -> str:
    """Write a question with the labels of relations and kinds in place of the wordings that it uses."""
    base, renaming = snapshot.base, snapshot.renaming
    pairs = [(wording, base.get_relation_label(relation)) for relation, wording in renaming.relations]
    for wording, label in (*pairs, *((wording, label) for label, wording in renaming.kinds)):
        stems = set(get_label_stems(wording))
        words = [word for word in Question(text).words.words if word.stem in stems]
        for place, word in reversed(list(enumerate(words))):
            text = text[: word.start] + (label if place == 0 else "") + text[word.end :]
    return " ".join(text.split())
