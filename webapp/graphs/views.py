"""What views of graphs, and of what is made of graphs, have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.http import FileResponse
from rest_framework import mixins
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.permissions import OwnerWrites
from webapp.accounts.views import UserView
from webapp.graphs import trash
from webapp.graphs.models import Graph
from webapp.graphs.selectors import find_graph


class GraphView(UserView):
    """A view of one graph, which its owner and administrators change."""

    permission_classes = [OwnerWrites]

    def get_graph(self, pk: int) -> Graph:
        """The graph, if the user may see it, and change it where the request does."""
        graph = find_graph(self.user, pk)
        self.check_object_permissions(self.request, graph)
        return graph


class TrashableMixin(mixins.DestroyModelMixin):
    """Rows that go to the trash."""

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Put it into the trash, with its files; work that still makes it is stopped, what was made with it stays."""
        return super().destroy(request, *args, **kwargs)

    def perform_destroy(self, instance: Any) -> None:
        """Put it there."""
        user: Any = self.request.user  # type: ignore[attr-defined]  # of the view
        trash.put(instance, user=user)


def download(path: Path, name: str, content_type: str) -> FileResponse:
    """A stored file, to be saved under a name."""
    return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type=content_type)
