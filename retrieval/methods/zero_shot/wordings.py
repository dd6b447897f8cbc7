"""What the directed relations of a graph may be called in a question, as texts with their vectors."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.storage import load_array, publish_directory, read_json, save_array, save_json
from retrieval.language.stemming import stem_word
from retrieval.linking.text_features import encode_all
from retrieval.linking.text_vectors import TextVectors
from retrieval.linking.unspaced_scripts import LETTERS
from retrieval.methods.zero_shot.idioms import FUNCTION
from retrieval.programs.grounding.schema import Schema
from retrieval.supervision.path_questions.kinds import EndKind, find_kinds
from retrieval.supervision.path_questions.lexicon import NOUNS
from retrieval.supervision.path_questions.phrases import build_phrases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.text_features import TextEncoder
    from retrieval.types import Progress

#: Texts of a directed relation at most, and of a whole graph: large schemas have fewer of each.
_EACH, _FEWEST, _ALL = 16, 2, 16_000
_META = "wordings.json"
#: Nouns of a kind.
_KINDS = 4
_SLOT = re.compile(r"\{\w+\}")
_WORD = re.compile(rf"[{LETTERS}]|[^\W_{LETTERS}]+")
#: What says nothing of the relation before a verb.
_OPENING = re.compile(r"^(?:(?:which|what|that|the|did|does|do|was|were|is|are|has|have|to|of)\s+)+")


@dataclass(frozen=True, slots=True)
class RelationWordings:
    """Texts of 2R directed relations, one after the other.

    Attributes:
        texts: numbers of each relation's texts among these, int64 [n].
        starts: where each relation's texts start, int64 [2R+1].
        stems: of the words of each relation's texts.
    """

    vectors: TextVectors
    texts: np.ndarray
    starts: np.ndarray
    stems: tuple[frozenset[str], ...]

    def get_vectors(self, relations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Vectors of some relations' texts, and where each relation's start; every relation has a text."""
        sizes = self.starts[relations + 1] - self.starts[relations]
        starts = np.cumsum(sizes) - sizes
        index = np.repeat(self.starts[relations] - starts, sizes) + np.arange(sizes.sum())
        return self.vectors[self.texts[index]], starts


@dataclass(frozen=True, slots=True)
class Wordings:
    """What directed relations are called: by their own names, and by what they lead to.

    Attributes:
        names: forms of the relation's name.
        kinds: what is reached.
        sorts: whether that are people, places, times, bool [2R, 3].
    """

    names: RelationWordings
    kinds: RelationWordings
    sorts: np.ndarray

    @classmethod
    def from_schema(cls, schema: Schema, encoder: TextEncoder) -> Wordings:
        """Those of a graph; vectors of its index, else encoded as they are asked for."""
        names, kinds, sorts = _list_texts(schema)
        known = _list_distinct(names, kinds)
        vectors = TextVectors(known, encoder, partial(_find, schema.snapshot, encoder.name, known))
        positions = {text: i for i, text in enumerate(known)}
        return cls(
            _build_relation_texts(names, positions, vectors),
            _build_relation_texts(kinds, positions, vectors),
            sorts,
        )


def build(
    snapshot: Snapshot,
    encoder: TextEncoder,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Encode what relations may be called and publish it beside the graph; what stands is not built again."""
    known = _list_distinct(*_list_texts(Schema(snapshot))[:2])
    if _find(snapshot, encoder.name, known) is not None:
        return
    vectors = encode_all(
        encoder, known, stage="indexing what relations are called", progress=progress, cancelled=cancelled
    )
    with publish_directory(_get_directory(snapshot, encoder.name)) as directory:
        save_array(directory, "vectors", vectors.astype(np.float16))
        save_json(directory / _META, _make_key(encoder.name, known))


def _get_directory(snapshot: Snapshot, encoder_name: str) -> Path:
    return snapshot.path / f"wordings-{re.sub(r'[^A-Za-z0-9._-]+', '_', encoder_name)}"


def _find(snapshot: Snapshot, encoder_name: str, texts: Sequence[str]) -> np.ndarray | None:
    directory = _get_directory(snapshot, encoder_name)
    if read_json(directory / _META) != _make_key(encoder_name, texts) or not integrity.is_whole(directory):
        return None
    return load_array(directory, "vectors", "float16").astype(np.float32)


def _make_key(encoder_name: str, texts: Sequence[str]) -> dict[str, object]:
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    return {"encoder": encoder_name, "count": len(texts), "texts": digest}


def _list_texts(schema: Schema) -> tuple[list[list[str]], list[list[str]], np.ndarray]:
    """Names and kinds of the 2R directed relations, each with one text or more, and the sorts of what they reach."""
    snapshot = schema.snapshot
    total = snapshot.num_relations
    heads, tails = find_kinds(schema)
    each = max(_FEWEST, min(_EACH, _ALL // max(1, 2 * total)))
    names: list[list[str]] = []
    kinds: list[list[str]] = []
    for directed in range(2 * total):
        relation, inverse = directed % total, directed >= total
        source, target = (tails, heads) if inverse else (heads, tails)
        label = snapshot.get_relation_label(relation)
        names.append(_list_names(label, inverse, source[relation], target[relation])[:each])
        kinds.append(_list_kinds(target[relation])[:_KINDS])
    sorts = [(kind.people, kind.places, kind.times) for kind in (*tails, *heads)]
    return names, kinds, np.array(sorts, bool).reshape(-1, 3)


def _list_distinct(names: Sequence[Sequence[str]], kinds: Sequence[Sequence[str]]) -> list[str]:
    return list(dict.fromkeys(text for some in (names, kinds) for texts in some for text in texts))


def tokenize_words(text: str) -> list[str]:
    """Words in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def _build_relation_texts(
    texts: Sequence[Sequence[str]], positions: dict[str, int], vectors: TextVectors
) -> RelationWordings:
    index = np.array([positions[text] for relation_texts in texts for text in relation_texts], np.int64)
    starts = np.cumsum([0, *(len(relation_texts) for relation_texts in texts)])
    stems = tuple(
        frozenset(stem_word(word) for text in relation_texts for word in tokenize_words(text) if word not in FUNCTION)
        for relation_texts in texts
    )
    return RelationWordings(vectors, index, starts, stems)


def _list_names(label: str, inverse: bool, source: EndKind, target: EndKind) -> list[str]:
    """The relation's name as a noun, behind a noun and as a question; nouns first, each form once."""
    wording = build_phrases(label, inverse, source, target)
    rounds = (
        wording.nouns,
        [_clean_template(text) for text in wording.mods],
        [_clean_template(text) for text in wording.asks],
    )
    forms = dict.fromkeys([] if inverse and wording.mods else [label.lower()])
    longest = max(map(len, rounds), default=0)
    forms.update((texts[i], None) for i in range(longest) for texts in rounds if i < len(texts) and texts[i])
    return list(forms) or [label.lower() or "thing"]


def _clean_template(template: str) -> str:
    """A template's words without its slots and what says nothing at its start."""
    text = " ".join(_SLOT.sub(" ", template).split())
    bare = _OPENING.sub("", text)
    return bare if set(tokenize_words(bare)) - FUNCTION else ""


def _list_kinds(kind: EndKind) -> list[str]:
    nouns = dict.fromkeys(_expand_nouns(kind.nouns))
    return list(nouns) or ["thing"]


def _expand_nouns(nouns: Iterable[str]) -> list[str]:
    names = list(nouns)
    return [*names, *(other for noun in names[:2] for other in NOUNS.get(noun, ())[:2])]
