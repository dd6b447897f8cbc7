"""``/uploads/formats`` and ``/uploads/preview``: what files can be read as, and what they are taken for."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from retrieval.errors import SourceError
from retrieval.kg.readers import catalog, child_process, read_preview
from retrieval.kg.readers.options import OPTIONS, ReadOptions
from retrieval.kg.readers.preview import Preview
from retrieval.questions import formats, preview_questions
from webapp.accounts.models import User
from webapp.accounts.permissions import Analyst
from webapp.accounts.views import UserView
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import TooManyUploadsError
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.graphs.serializers import ProblemSerializer, StoredFilesSerializer
from webapp.uploads import remote_sources, services

LIMITS = child_process.Limits(memory=1 << 30, seconds=30.0)
"""What a look at one file may take."""
SAMPLE = 16 * 1024**2
"""How much of a file elsewhere is fetched to look at it; an archive that is larger cannot be looked into."""
FILE_OPTIONS = [name for name in OPTIONS if name != "model"]
"""Options of a single file; a data model is of all files together."""
WITHIN_S = 30.0
"""How long the hosts may take for it, all together."""

_looking = ConcurrencyLimit()


class PreviewRequestSerializer(StoredFilesSerializer):
    """Files, and corrections of what they were taken for."""

    kind = serializers.ChoiceField(choices=["graph", "questions"], default="graph")
    format = PlainText(  # type: ignore[assignment]  # a question set has other formats than a graph
        max_length=32, allow_blank=True, default=""
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """At least one file."""
        if not attrs["uploads"] and not attrs["sources"]:
            raise serializers.ValidationError({"uploads": ["Give at least one upload or source."]})
        return attrs


class MemberSerializer(serializers.Serializer[object]):
    """A file of an archive."""

    name = serializers.CharField()
    bytes = serializers.IntegerField()


class GuessSerializer(serializers.Serializer[object]):
    """What a file is taken for, with its first rows as they would be read. ``format`` is empty for none."""

    upload = serializers.UUIDField(allow_null=True)
    source = serializers.CharField(  # type: ignore[assignment]  # a field of this name hides an option of the base
        allow_null=True
    )
    name = serializers.CharField()
    kind = serializers.CharField()
    format = serializers.CharField()
    delimiter = serializers.CharField(allow_null=True)
    header = serializers.BooleanField(allow_null=True)
    encoding = serializers.CharField()
    columns = serializers.DictField(child=serializers.IntegerField())
    header_cells = serializers.ListField(child=serializers.CharField())
    titles = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    raw = serializers.ListField(child=serializers.CharField())
    alternatives = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())
    problems = ProblemSerializer(many=True)
    refused = serializers.BooleanField(help_text="an import of it, as it stands, fails for sure")
    members = MemberSerializer(many=True)


class FormatSerializer(serializers.Serializer[object]):
    """A format that files can be read as; ``options`` are what it heeds of how files are to be read."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    holds = serializers.CharField()
    options = serializers.ListField(child=serializers.ChoiceField(choices=FILE_OPTIONS))


class FormatsSerializer(serializers.Serializer[object]):
    """All formats, in the order of lists."""

    graph = FormatSerializer(many=True)
    questions = FormatSerializer(many=True)


class FormatsView(APIView):
    """What files can be read as."""

    permission_classes = [Analyst]

    @extend_schema(operation_id="uploads_formats", responses=FormatsSerializer)
    def get(self, request: Request) -> Response:
        """The formats of graphs and of question sets."""
        by_kind = {"graph": catalog.FORMATS.values(), "questions": formats.FORMATS.values()}
        return Response(FormatsSerializer(by_kind).data)


class PreviewView(UserView):
    """A look at uploads."""

    permission_classes = [Analyst]

    @extend_schema(
        operation_id="uploads_preview",
        request=PreviewRequestSerializer,
        responses=GuessSerializer(many=True),
    )
    def post(self, request: Request) -> Response:
        """What each is taken for, under the corrections given. Nothing is kept."""
        data = validate_form(PreviewRequestSerializer(data=request.data))
        uploads = services.require_complete(ids=data["uploads"], user=self.user)
        options = ReadOptions.from_values(data)
        guesses = [
            {
                **_run_preview(upload.path, upload.name, data["kind"], options),
                "upload": upload.pk,
                "source": None,
            }
            for upload in uploads
        ]
        until = time.monotonic() + WITHIN_S
        for source in data["sources"]:
            with open_sample(source, user=self.user, until=until) as sample:
                seen = _run_preview(sample, remote_sources.extract_name(source), data["kind"], options)
            guesses.append({**seen, "upload": None, "source": source})
        return Response(GuessSerializer(guesses, many=True).data)


@contextmanager
def open_sample(source: str, *, user: User, until: float) -> Iterator[Path]:
    """A file of the first :data:`SAMPLE` bytes of a file elsewhere; it goes afterwards.

    Args:
        source: a path or an address.
        user: who looks at it.
        until: when its host must have sent them, of :func:`time.monotonic`.

    Raises:
        NotAllowedError, SourceError: as :func:`webapp.uploads.remote_sources.sample`.
        TooManyUploadsError: the user has several looked at already.
    """
    with tempfile.NamedTemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as sample:
        with _looking.take_turn(user.pk, most=settings.SOURCES_AT_ONCE, refusal=_make_limit_error()):
            sample.write(remote_sources.sample(source, most=SAMPLE, within=until - time.monotonic()))
        sample.flush()
        yield Path(sample.name)


def _make_limit_error() -> TooManyUploadsError:
    return TooManyUploadsError(
        "You have several files elsewhere looked at already.", hint="Wait until their hosts have answered."
    )


def _run_preview(path: Path, name: str, kind: Any, options: ReadOptions) -> dict[str, Any]:
    release_connection()  # it may be looked at for seconds
    try:
        preview = preview_questions if kind == "questions" else read_preview
        seen = child_process.call(preview, path, name, options, what=name, limits=LIMITS)
    except SourceError as error:
        seen = Preview(name, kind, "", notes=(str(error),))
    made = dataclasses.asdict(seen)
    return {**made, "members": [{"name": name, "bytes": size} for name, size in made["members"]]}
