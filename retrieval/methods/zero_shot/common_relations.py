"""What graphs commonly hold of things: how near a question's words are to it tells what this graph lacks.

A word that is near a common relation ("director") and far from every relation of the graph asks for what is not there;
a word that is near neither ("famous") may be the wording. Written from common sense: no question was read for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from retrieval.lexicon import get_sequence
from retrieval.supervision.path_questions.lexicon import EVENTS, NOUNS, PAST, VERBS

if TYPE_CHECKING:
    from retrieval.linking.text_features import TextEncoder


def list_common_relations() -> list[str]:
    """Names of common relations, each once."""
    names = dict.fromkeys(get_sequence("common_relations"))
    for verb in VERBS.values():
        names.update(dict.fromkeys((verb.base, verb.past, *verb.agents, *verb.also)))
    for noun, others in NOUNS.items():
        names.update(dict.fromkeys((noun, *others)))
    for noun, (_, verb_text) in EVENTS.items():
        names.update(dict.fromkeys((noun, verb_text, PAST.get(verb_text, verb_text))))
    return list(names)


_VECTORS: WeakKeyDictionary[TextEncoder, np.ndarray] = WeakKeyDictionary()


def encode_common_relations(encoder: TextEncoder) -> np.ndarray:
    """Of :func:`list_common_relations`, float32 [n, d]; encoded once."""
    encoded = _VECTORS.get(encoder)
    if encoded is None:
        encoded = _VECTORS[encoder] = encoder.encode(list_common_relations())
    return encoded
