"""Retrievers for LangChain, LlamaIndex and Haystack, each by the real library, from a web server and a worker."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import haystack
import pytest
from haystack.components.builders import PromptBuilder
from haystack.utils import Secret
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnablePassthrough
from llama_index.core.schema import MetadataMode

import clew
from clew.haystack import ClewRetriever as HaystackRetriever
from clew.langchain import ClewRetriever as LangChainRetriever
from clew.llamaindex import ClewRetriever as LlamaIndexRetriever
from retrieval.events import AnswerFinal, PassagesRetrieved, PathRetrieved, RunFailed, RunStarted
from retrieval.results import NoAnswer, NoAnswerReason
from retrieval.types import Hop, Node, Passage, RelationStep, RetrievedPassage, Usage

pytestmark = pytest.mark.slow  # these libraries take seconds to import

QUESTION = "What is the capital of Germany?"
GERMANY, BERLIN, FRANCE = (Node(number, name) for number, name in enumerate(("Germany", "Berlin", "France")))
TEXTS = ["Berlin has been the capital since 1990.", "Germany – capital – Berlin", "France – borders – Germany"]
START = RunStarted("q?", "rel-rag-path", "extractive", "hash", None, "enc", 50, 0)
SCORES = [0.7, 0.9, 0.5]


@pytest.fixture
def graph(tiny_graph, scripted):
    """A graph of which two facts, on paths of one step, and a passage are retrieved."""
    passage = Passage(4, "p4", "Berlin", TEXTS[0], "history.txt", "https://example.org/berlin")
    paths = [
        Hop(GERMANY, RelationStep("capital", "capital"), BERLIN, verified=True),
        Hop(GERMANY, RelationStep("borders", "borders", inverse=True), FRANCE, verified=True),
    ]
    scripted(
        START,
        PathRetrieved(1, (paths[0],), 0.9, 1.0),
        PathRetrieved(2, (paths[1],), 0.5, 1.0),
        PassagesRetrieved((RetrievedPassage(passage, 0.7),), "hybrid", 1.0),
        AnswerFinal((), NoAnswer(NoAnswerReason.NO_PATH, "None."), "", (), Usage(), 1.0),
    )
    return tiny_graph.pk


@pytest.fixture
def access(server):
    return {"url": server.url, "token": server.token("viewer")}


async def test_langchain(graph, access):
    retriever = LangChainRetriever(graph=graph, **access)
    documents = retriever.invoke(QUESTION)
    assert [document.page_content for document in documents] == TEXTS
    passage, fact, _ = (document.metadata for document in documents)
    assert passage == {
        **{"kind": "passage", "title": "Berlin", "document": "history.txt", "url": "https://example.org/berlin"},
        **{"graph": graph, "score": 0.7},
    }
    assert fact == {
        **{"kind": "fact", "head": "Germany", "relation": "capital", "tail": "Berlin"},
        **{"graph": graph, "score": 0.9},
    }
    assert documents[1].id == f"graph/{graph}/fact/0/capital/1"
    assert await retriever.ainvoke(QUESTION) == documents
    chain = {"facts": retriever, "question": RunnablePassthrough()} | PromptTemplate.from_template(
        "{question}: {facts}"
    )
    assert TEXTS[1] in chain.invoke(QUESTION).text
    few = LangChainRetriever(graph=graph, limit=1, settings={"budget": 10}, **access)
    assert [document.page_content for document in few.invoke(QUESTION)] == TEXTS[:2]
    with pytest.raises(clew.ApiError, match="budget"):
        LangChainRetriever(graph=graph, settings={"budget": -1}, **access).invoke(QUESTION)


async def test_llamaindex(graph, access):
    retriever = LlamaIndexRetriever(graph, **access)
    nodes = retriever.retrieve(QUESTION)
    assert [(node.score, node.get_content(MetadataMode.NONE)) for node in nodes] == list(
        zip(SCORES, TEXTS, strict=True)
    )
    assert (nodes[1].metadata["kind"], nodes[1].node_id) == ("fact", f"graph/{graph}/fact/0/capital/1")
    assert [node.text for node in await retriever.aretrieve(QUESTION)] == TEXTS
    assert len(LlamaIndexRetriever(graph, limit=1, **access).retrieve(QUESTION)) == 2


def test_haystack(graph, access, monkeypatch):
    monkeypatch.setenv("CLEW_TOKEN", access["token"])
    pipeline = haystack.Pipeline()
    pipeline.add_component("facts", HaystackRetriever(graph, url=access["url"]))
    pipeline.add_component(
        "prompt", PromptBuilder("{% for d in documents %}{{ d.content }}\n{% endfor %}", required_variables="*")
    )
    pipeline.connect("facts.documents", "prompt.documents")
    saved = pipeline.dumps()
    assert access["token"] not in saved
    done = haystack.Pipeline.loads(saved, allowed_modules=["clew.haystack"]).run(
        {"facts": {"query": QUESTION}}, include_outputs_from={"facts"}
    )
    assert done["prompt"]["prompt"].splitlines() == TEXTS
    assert [document.score for document in done["facts"]["documents"]] == SCORES
    given = HaystackRetriever(graph, url=access["url"], token=Secret.from_token(access["token"]), limit=1)
    assert [document.content for document in given.run(QUESTION)["documents"]] == TEXTS[:2]


def test_why_nothing_was_retrieved_is_logged(tiny_graph, access, scripted, caplog):
    scripted(START, RunFailed("damaged", "A file is broken.", "Import the graph again."))
    assert LangChainRetriever(graph=tiny_graph.pk, **access).invoke(QUESTION) == []
    assert ("clew.documents", 30, f"Retrieved nothing for '{QUESTION}': A file is broken.") in caplog.record_tuples
