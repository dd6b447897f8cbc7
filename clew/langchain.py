"""A retriever for LangChain: ``pip install clew[langchain]``."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from clew.client import AsyncClient, Client
from clew.documents import list_texts
from clew.types import Retrieval


class ClewRetriever(BaseRetriever):
    """Facts and passages of a graph as documents; their ``metadata`` has score and kind.

    Attributes:
        graph: number of the graph.
        url: address of Clew; the variable ``CLEW_URL`` unless given.
        token: API token with the scope ``ask``; the variable ``CLEW_TOKEN`` unless given.
        limit: most facts, and most passages, of a question.
        settings: method, budget and the like: those of :meth:`clew.Client.retrieve`.
    """

    graph: int
    url: str | None = None
    token: str | None = None
    limit: int = 20
    settings: dict[str, Any] = {}

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        with Client(self.url, self.token) as client:
            (retrieval,) = client.retrieve(self.graph, query, **self.settings)
        return self._build_documents(retrieval)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        async with AsyncClient(self.url, self.token) as client:
            (retrieval,) = await client.retrieve(self.graph, query, **self.settings)
        return self._build_documents(retrieval)

    def _build_documents(self, retrieval: Retrieval) -> list[Document]:
        return [
            Document(page_content=text.text, id=text.id, metadata=text.metadata)
            for text in list_texts(retrieval, self.graph, self.limit)
        ]
