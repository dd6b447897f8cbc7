"""The recipe of every trained method. Explicit: what is not listed here cannot be trained."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from retrieval.retrievers.rapl import RaplRetriever
from retrieval.retrievers.rel_rag_path import RelRagPathRetriever
from retrieval.training.graph_s3 import graph_s3_task
from retrieval.training.paths import path_task
from retrieval.training.recipe import Recipe
from retrieval.training.reg_entity import reg_entity_task
from retrieval.training.reg_path import plan_task
from retrieval.training.reg_triple import reg_triple_task
from retrieval.training.rel_rag_triple import rel_rag_triple_task
from retrieval.types import Method

RECIPES: Mapping[Method, Recipe] = MappingProxyType(
    {
        Method.GRAPH_S3: graph_s3_task,
        Method.RAPL: partial(path_task, opened=RaplRetriever),
        Method.REG_ENTITY: reg_entity_task,
        Method.REG_PATH: plan_task,
        Method.REG_TRIPLE: reg_triple_task,
        Method.REL_RAG_PATH: partial(path_task, opened=RelRagPathRetriever),
        Method.REL_RAG_TRIPLE: rel_rag_triple_task,
    }
)
