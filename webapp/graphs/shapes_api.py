"""``/graphs/{id}/shapes``: SHACL shapes that the RDF files of a version keep."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from retrieval.errors import SourceError
from retrieval.kg.readers import child_process
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import TooManyUploadsError
from webapp.graphs import files
from webapp.graphs.api import VERSION
from webapp.graphs.figures_api import VersionedView

LIMITS = child_process.Limits(memory=1 << 30, seconds=60.0)
"""What proposing the shapes of a version may take."""

_proposing = ConcurrencyLimit()


class GraphShapesView(VersionedView):
    """Shapes for the data of a version."""

    @extend_schema(
        operation_id="graphs_shapes", parameters=[VERSION], responses={(200, "text/turtle"): OpenApiTypes.STR}
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        """Propose shapes from the RDF files of a version, as Turtle. Uploaded beside data, they check it."""
        version = self.get_version(request, pk)
        names = {files.ensure_local_path(source.path): source.name for source in version.files.exclude(path="")}
        if not names:
            raise SourceError("The files of this version are not kept.", hint="Choose a version made from files.")
        refusal = TooManyUploadsError("Shapes are being proposed for you already.", hint="Wait until that is done.")
        with _proposing.take_turn(request.user.pk or "anonymous", most=1, refusal=refusal):
            release_connection()
            turtle = child_process.call(
                child_process.call_by_name,
                "retrieval.kg.readers.shape_checks:propose_shapes",
                [*names],
                names,
                what=version.graph.name,
                limits=LIMITS,
            )
        answer = HttpResponse(turtle, content_type="text/turtle; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="shapes-{version.graph_id}-{version.version}.ttl"'
        return answer
