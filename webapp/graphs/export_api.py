"""``/graphs/{id}/export``: a version as a file that other programs read, and that can be imported again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from retrieval.kg.export import EXPORT_FORMATS, export_graph
from retrieval.kg.readers import child_process
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import BusyError, InvalidError
from webapp.api.params import validate_form
from webapp.graphs import files, snapshots
from webapp.graphs.api import VERSION
from webapp.graphs.figures_api import VersionedView

LIMITS = child_process.Limits(memory=2 << 30, seconds=120.0)
"""What writing a file may take."""

_exporting = ConcurrencyLimit()


class ExportQuerySerializer(serializers.Serializer[object]):
    """How to export."""

    format = serializers.ChoiceField(choices=[*EXPORT_FORMATS])
    partial = serializers.BooleanField(  # type: ignore[assignment]  # a field of this name hides an option of the base
        default=False, help_text="leave out what the format cannot hold, rather than refuse"
    )


class ExportView(VersionedView):
    """A version as a file."""

    @extend_schema(
        operation_id="graphs_export",
        parameters=[ExportQuerySerializer, VERSION],
        responses={(200, kind.media_type): OpenApiTypes.BINARY for kind in EXPORT_FORMATS.values()},
    )
    def get(self, request: Request, pk: int) -> FileResponse:
        """Export a version. Importing the file builds the same content again."""
        version = self.get_version(request, pk)
        data = validate_form(ExportQuerySerializer(data=request.query_params))
        snapshots.open_snapshot(version.path)  # whether it is sound
        kind = EXPORT_FORMATS[data["format"]]
        refusal = BusyError("A graph is being exported for you already.", hint="Wait until that is done.")
        file = tempfile.NamedTemporaryFile(prefix="clew-export-")  # noqa: SIM115 - the response closes it
        try:
            with _exporting.take_turn(request.user.pk or "anonymous", most=1, refusal=refusal):
                release_connection()
                child_process.call(
                    export_graph,
                    files.ensure_local_path(version.path),
                    Path(file.name),
                    data["format"],
                    partial=data["partial"],
                    what=version.graph.name,
                    limits=LIMITS,
                )
        except BaseException as error:
            file.close()
            if isinstance(error, child_process.TooMuchError):
                raise InvalidError(
                    f"Exporting {version.graph.name} took too long.", hint="Take the files that it was made from."
                ) from error
            raise
        name = f"{version.graph.name} {version.version}{kind.suffix}"
        return FileResponse(file, as_attachment=True, filename=name, content_type=kind.media_type)
