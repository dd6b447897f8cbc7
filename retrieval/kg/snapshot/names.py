"""Names of entities by language, and which of them a reader sees. Standard library and numpy only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from retrieval.kg.snapshot.attributes import AttributeTable

_TAG = re.compile(r"[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*")
_REGION, _SCRIPT = 2, 4
#: Languages of a reader that are looked at.
PREFERRED_LIMIT = 20
NODE_FIELDS = frozenset({"id", "label", "kind"})
"""What tells a node among JSON objects."""


def normalize_language(tag: str) -> str | None:
    """Return a language tag as it is usually written: ``pt-BR`` of ``PT_br``; None where it is none (BCP 47)."""
    text = tag.strip().replace("_", "-")
    if not _TAG.fullmatch(text):
        return None
    primary, *parts = text.lower().split("-")
    written = [
        part.upper() if len(part) == _REGION else part.title() if len(part) == _SCRIPT and part.isalpha() else part
        for part in parts
    ]
    return "-".join([primary, *written])


def parse_languages(header: str) -> tuple[str, ...]:
    """Return the languages of an ``Accept-Language`` header, best first. Tags that are malformed are left out."""
    weighted: list[tuple[float, str]] = []
    for part in header.split(",")[:PREFERRED_LIMIT]:
        tag, _, parameter = part.partition(";")
        language = normalize_language(tag)
        weight = re.fullmatch(r"\s*q\s*=\s*(\d(?:\.\d{0,3})?)\s*", parameter)
        if language is not None and (weight is not None or not parameter.strip()):
            weighted.append((float(weight[1]) if weight else 1.0, language))
    ranked = sorted(weighted, key=lambda item: -item[0])
    return tuple(dict.fromkeys(language for weight, language in ranked if weight > 0))


def match_languages(preferred: Sequence[str], available: Sequence[str]) -> tuple[str, ...]:
    """Return the languages of ``available`` in the order that a reader prefers; those nobody asked for are left out.

    A regional language falls back to its language (``pt-BR`` to ``pt``), and a language to its regions, in the order
    of ``available`` (RFC 4647, lookup).
    """
    matched: dict[str, None] = {}
    for tag in preferred:
        parts = tag.lower().split("-")
        ranges = ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]
        for wanted in ranges:
            matched.update(dict.fromkeys(known for known in available if known.lower() == wanted))
        matched.update(dict.fromkeys(known for known in available if known.lower().split("-")[0] == parts[0]))
    return tuple(matched)


@dataclass(frozen=True, slots=True)
class LanguageName:
    """A name of an entity in a language; ``is_main`` tells the one that is shown from other names."""

    language: str
    name: str
    is_main: bool


class EntityNames:
    """The names of all entities of a snapshot by language: one that is shown in each language, and others.

    Attributes:
        main: the names that are shown, by language.
        others: further names.
    """

    def __init__(self, main: AttributeTable, others: AttributeTable) -> None:
        self.main, self.others = main, others
        self._languages = list(main.keys)

    def count_languages(self) -> list[tuple[str, int]]:
        """Each language with how many entities have a name in it, most first."""
        counts = np.bincount(self.main.row_keys, minlength=len(self._languages)).tolist()
        return sorted(zip(self._languages, counts, strict=True), key=lambda item: (-item[1], item[0]))

    def find_name(self, entity: int, languages: Sequence[str]) -> str | None:
        """The name of an entity in the first of ``languages`` that it has one in; None where it has none in them."""
        names = dict(self.main.list_pairs(entity))
        return next((names[language] for language in languages if language in names), None)

    def list_names(self, entity: int) -> list[LanguageName]:
        """All names of an entity, by language, the one that is shown first."""
        names = [LanguageName(*pair, is_main=True) for pair in self.main.list_pairs(entity)]
        names += [LanguageName(*pair, is_main=False) for pair in self.others.list_pairs(entity)]
        return sorted(names, key=lambda name: (name.language, not name.is_main))

    def list_arrays(self) -> list[np.ndarray]:
        """Everything it holds, for the snapshot's hash."""
        return [*self.main.list_arrays(), *self.others.list_arrays()]


class NameWriter:
    """Writes names in a reader's languages into what is shown of one version of a graph, as plain JSON types.

    Args:
        preferred: languages of the reader, best first.
        field: of nodes, takes the name; ``label`` puts it in the label's place.
    """

    def __init__(self, names: EntityNames, preferred: Sequence[str], field: Literal["name", "label"] = "name") -> None:
        self._names = names
        self._field = field
        self._by_label: dict[str, str] = {}
        self.languages = match_languages(preferred, [language for language, _ in names.count_languages()])

    def write(self, data: Any) -> Any:
        """Add the name to each node, and to each answer that is one, where it differs from the label.

        The ``sentence`` of an answer gets the names of the nodes that were written before. ``data`` is changed.
        """
        if self.languages:
            self._write(data)
        return data

    def _write(self, data: Any) -> None:
        if isinstance(data, list | tuple):
            for item in data:
                self._write(item)
        elif isinstance(data, dict):
            entity, label = data.get("entity"), data.get("label")
            is_answer = isinstance(entity, dict) and entity.get("label") == label
            for value in data.values():
                self._write(value)
            if data.keys() >= NODE_FIELDS and isinstance(data["id"], int):
                self._find_name(data)
            if (is_answer or data.keys() >= NODE_FIELDS) and label in self._by_label:
                data[self._field] = self._by_label[label]
            if self._by_label and isinstance(data.get("sentence"), str):
                data["sentence"] = self._convert_sentence(data["sentence"])

    def _find_name(self, node: Mapping[str, Any]) -> None:
        label = node["label"]
        if label not in self._by_label and node["kind"] != "literal":
            name = self._names.find_name(node["id"], self.languages)
            if name is not None and name != label:
                self._by_label[label] = name

    def _convert_sentence(self, sentence: str) -> str:
        labels = "|".join(map(re.escape, sorted(self._by_label, key=len, reverse=True)))
        return re.sub(rf"(?<!\w)(?:{labels})(?!\w)", lambda match: self._by_label[match[0]], sentence)
