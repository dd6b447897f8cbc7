"""What addresses name in tests of permissions."""

from dataclasses import dataclass

from webapp.accounts.models import User
from webapp.graphs.models import Graph

SECRET = "7f3a9c"
"""Stands in the name of everything of the graph that is not seen."""


@dataclass
class Thing:
    pk: object
    owner: User | None = None
    graph: Graph | None = None
