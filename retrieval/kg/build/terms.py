"""Which relations and kinds of a graph the terms of an ontology describe."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.kg.snapshot.vocabulary import Term, Vocabulary


def match_vocabulary(
    vocabulary: Vocabulary, relations: Mapping[str, str], find_entity: Callable[[str], int | None]
) -> Vocabulary:
    """The terms that a graph has, under its own names; terms of other graphs are left out.

    A relation is described by the property of its name, else of its label. An inverse, and a broader term of one
    narrower term, are synonyms where the graph itself has no such relation or kind.

    Args:
        vocabulary: terms by IRI or by name.
        relations: the label of each relation by its name.
    """
    by_label: dict[str, list[str]] = defaultdict(list)
    for name, label in relations.items():
        by_label[label.casefold()].append(name)
    narrower = Counter(label for term in vocabulary.terms for label in term.broader)
    matched: dict[tuple[str, str], Term] = {}
    for term in vocabulary.terms:
        wordings = [*term.synonyms, format_relation_name(term.name)]
        if term.category == "relation":
            labelled = [name for wording in wordings for name in by_label.get(wording.casefold(), ())]
            names: Iterable[str] = [term.name] if term.name in relations else dict.fromkeys(labelled)
            known = {relations[name].casefold() for name in names}
        else:
            names = [wording for wording in (term.name, *wordings) if find_entity(wording) is not None][:1]
            known = {name.casefold() for name in names}
        others = [label for label in term.inverse if label.casefold() not in by_label]
        others += [
            label for label in term.broader
            if narrower[label] == 1 and label.casefold() not in by_label and find_entity(label) is None
        ]  # fmt: skip
        synonyms = tuple(text for text in dict.fromkeys([*term.synonyms, *others]) if text.casefold() not in known)
        for name in names:
            filled = replace(term, name=name, synonyms=synonyms)
            if filled != Term(term.category, name):
                matched[term.category, name] = filled
    return Vocabulary(tuple(matched[key] for key in sorted(matched)))
