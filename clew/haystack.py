"""A retriever for Haystack: ``pip install clew[haystack]``."""

from __future__ import annotations

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

from clew.client import Client
from clew.documents import list_texts
from clew.types import RetrieveRequest


@component
class ClewRetriever:
    """Facts and passages of a graph as documents with scores.

    Args:
        graph: number of the graph.
        url: address of Clew; the variable ``CLEW_URL`` unless given.
        token: API token with the scope ``ask``; a pipeline that is saved keeps the name of its variable alone.
        limit: most facts, and most passages, of a question.
        settings: method, budget and the like: those of :meth:`clew.Client.retrieve`.
    """

    def __init__(
        self,
        graph: int,
        *,
        url: str | None = None,
        token: Secret = Secret.from_env_var("CLEW_TOKEN"),
        limit: int = 20,
        settings: RetrieveRequest | None = None,
    ) -> None:
        self.graph, self.url, self.token, self.limit = graph, url, token, limit
        self.settings = settings or RetrieveRequest()

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, list[Document]]:
        """Retrieve for a question."""
        with Client(self.url, self.token.resolve_value()) as client:
            (retrieval,) = client.retrieve(self.graph, query, **self.settings)
        texts = list_texts(retrieval, self.graph, self.limit)
        return {
            "documents": [
                Document(id=text.id, content=text.text, meta=text.metadata, score=text.score) for text in texts
            ]
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline saves it."""
        return default_to_dict(
            self,
            graph=self.graph,
            url=self.url,
            token=self.token.to_dict(),
            limit=self.limit,
            settings=self.settings,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ClewRetriever:
        """Return the component of a saved pipeline."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["token"])
        return default_from_dict(cls, data)
