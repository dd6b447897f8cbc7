"""The engine behind every method. Explicit: what is not listed here cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from retrieval.engines import graph_s3, inses, llm_alone, paths, router, text_rag
from retrieval.engines.parts import Opening
from retrieval.errors import MethodError
from retrieval.pipeline import Engine
from retrieval.types import LLM_ALONE, TRAINED, Method

Factory = Callable[[Opening], Engine]

#: Methods that can be asked.
ENGINES: Mapping[Method, Factory] = MappingProxyType(
    {
        **dict.fromkeys(sorted(TRAINED), paths.open_engine),
        **dict.fromkeys(sorted(LLM_ALONE), llm_alone.open_engine),
        Method.GRAPH_S3: graph_s3.open_engine,
        Method.INSES: inses.open_engine,
        Method.ROUTER: router.open_engine,
        Method.TEXT_RAG: text_rag.open_engine,
    }
)


def load(opening: Opening) -> Engine:
    """Open the engine of the method that ``opening.spec`` names.

    Raises:
        MethodError: no method of that name can be asked.
        CheckpointError, ConfigError: what the method needs is missing or wrong.
    """
    method = opening.spec.method
    try:
        factory = ENGINES[Method(method)]
    except (KeyError, ValueError):
        known = ", ".join(sorted(ENGINES))
        raise MethodError(f"No method is called {str(method)!r}.", hint=f"There is: {known}.") from None
    return factory(opening)
