"""The recipe of every trained method. Explicit: what is not listed here cannot be trained."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from retrieval.retrievers.rapl import RaplRetriever
from retrieval.retrievers.rel_rag_path import RelRagPathRetriever
from retrieval.training.paths import path_task
from retrieval.training.recipe import Recipe
from retrieval.types import Method

RECIPES: Mapping[Method, Recipe] = MappingProxyType(
    {
        Method.RAPL: partial(path_task, opened=RaplRetriever),
        Method.REL_RAG_PATH: partial(path_task, opened=RelRagPathRetriever),
    }
)
