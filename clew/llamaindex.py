"""A retriever for LlamaIndex: ``pip install clew[llamaindex]``."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from clew.client import AsyncClient, Client
from clew.documents import list_texts
from clew.types import Retrieval, RetrieveRequest


class ClewRetriever(BaseRetriever):
    """Facts and passages of a graph as nodes with scores.

    Args:
        graph: number of the graph.
        url: address of Clew; the variable ``CLEW_URL`` unless given.
        token: API token with the scope ``ask``; the variable ``CLEW_TOKEN`` unless given.
        limit: most facts, and most passages, of a question.
        settings: method, budget and the like: those of :meth:`clew.Client.retrieve`.
    """

    def __init__(
        self,
        graph: int,
        *,
        url: str | None = None,
        token: str | None = None,
        limit: int = 20,
        settings: RetrieveRequest | None = None,
    ) -> None:
        super().__init__()
        self._graph, self._url, self._token, self._limit = graph, url, token, limit
        self._settings = settings or RetrieveRequest()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with Client(self._url, self._token) as client:
            (retrieval,) = client.retrieve(self._graph, query_bundle.query_str, **self._settings)
        return self._build_nodes(retrieval)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with AsyncClient(self._url, self._token) as client:
            (retrieval,) = await client.retrieve(self._graph, query_bundle.query_str, **self._settings)
        return self._build_nodes(retrieval)

    def _build_nodes(self, retrieval: Retrieval) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_=text.id, text=text.text, metadata=text.metadata), score=text.score)
            for text in list_texts(retrieval, self._graph, self._limit)
        ]
