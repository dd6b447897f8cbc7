"""The recipe of every trained method. Explicit: what is not listed here cannot be trained."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from retrieval.training.paths import path_task
from retrieval.training.recipe import Recipe
from retrieval.types import Method

RECIPES: Mapping[Method, Recipe] = MappingProxyType({Method.REL_RAG_PATH: path_task})
