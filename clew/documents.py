"""What a retrieval found as documents, for frameworks that put texts into a prompt."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from clew.types import Retrieval

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RetrievedText:
    """A fact or a passage as text.

    Attributes:
        id: the same for the same fact or passage of a graph.
        score: of the method, higher is better; those of facts and of passages do not compare.
        metadata: ``kind`` (``fact`` or ``passage``), ``graph`` and ``score``; of a fact ``head``, ``relation`` and
            ``tail``, of a passage ``title``, ``document`` and ``url``.
    """

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


def list_texts(retrieval: Retrieval, graph: int, limit: int) -> list[RetrievedText]:
    """Return the passages and then the facts of a retrieval, at most ``limit`` of each, best first.

    Where there are none, the reason is logged: a chain goes on without evidence.
    """
    if not (retrieval["passages"] or retrieval["triples"]):
        logger.warning("Retrieved nothing for '%s': %s", retrieval["question"], retrieval["problem"])
    texts: list[tuple[str, str, float, dict[str, str]]] = []
    for ranked in retrieval["passages"][:limit]:
        passage = ranked["passage"]
        metadata = {"title": passage["title"], "document": passage["document"], "url": passage["url"]}
        texts.append((f"passage/{passage['id']}", passage["text"], ranked["score"], {"kind": "passage", **metadata}))
    for fact in retrieval["triples"][:limit]:
        head, relation, tail = fact["head"], fact["relation"], fact["tail"]
        key = f"fact/{head['id']}/{relation['name']}/{tail['id']}"
        metadata = {"head": head["label"], "relation": relation["name"], "tail": tail["label"]}
        text = f"{head['label']} – {relation['label']} – {tail['label']}"
        texts.append((key, text, fact["score"], {"kind": "fact", **metadata}))
    return [
        RetrievedText(f"graph/{graph}/{key}", text, score, {**metadata, "graph": graph, "score": score})
        for key, text, score, metadata in texts
    ]
