"""``/uploads/model`` and ``/graphs/{id}/model``: the data model of files before an import, and of a version."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.errors import ConfigError, SourceError
from retrieval.kg.model.data_model import COLUMN_TYPES, EDGE_USES, DataModel, ModelChoices, ModelWarning
from retrieval.kg.model.forms import FILES, read_model_text, write_model
from retrieval.kg.model.merging import merge_models
from retrieval.kg.model.relabelling import update_labels
from retrieval.kg.model.storage import load_model
from retrieval.kg.readers import child_process, read_model
from retrieval.kg.readers.options import ReadOptions
from webapp.accounts import quotas
from webapp.accounts.models import User
from webapp.accounts.permissions import Analyst
from webapp.accounts.views import UserView
from webapp.api.concurrency import ConcurrencyLimit, release_connection
from webapp.api.errors import InvalidError, TooManyUploadsError
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.graphs import files, model_changes, snapshots
from webapp.graphs.api import VERSION
from webapp.graphs.figures_api import VersionedView
from webapp.graphs.import_steps import list_steps
from webapp.graphs.models import Graph, Mode
from webapp.graphs.preview_api import SAMPLE, WITHIN_S, open_sample
from webapp.graphs.reading import MODEL_BYTES, ModelField
from webapp.graphs.selectors import find_graph
from webapp.graphs.serializers import LanguageSerializer, StoredFilesSerializer
from webapp.graphs.views import GraphView
from webapp.jobs.serializers import JobSerializer
from webapp.uploads import remote_sources, services

LIMITS = child_process.Limits(memory=1 << 30, seconds=60.0)
"""What inferring the model of all files of a request may take."""

_inferring = ConcurrencyLimit()


class ModelRequestSerializer(StoredFilesSerializer):
    """Files of a graph, and corrections of their model; ``graph`` is the one that they are to be a version of."""

    graph = serializers.IntegerField(
        allow_null=True, default=None, help_text="whose current version's model holds where ``model`` says nothing"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """At least one file, or a graph, whose kept files are looked at then."""
        if not attrs["uploads"] and not attrs["sources"] and attrs["graph"] is None:
            raise serializers.ValidationError({"uploads": ["Give at least one upload or source."]})
        return attrs


class ModelColumnSerializer(serializers.Serializer[object]):
    """A column of a table, or an attribute of nodes."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    type = serializers.ChoiceField(choices=COLUMN_TYPES)
    filled = serializers.IntegerField(help_text="cells that hold something")
    distinct = serializers.IntegerField(help_text="different values")
    samples = serializers.ListField(child=serializers.CharField())
    unit = serializers.CharField()
    is_ignored = serializers.BooleanField()


class ModelKindSerializer(serializers.Serializer[object]):
    """Things of one kind: the rows of a table, or the nodes of a type."""

    table = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    count = serializers.IntegerField(help_text="rows that can be used")
    name = serializers.ListField(child=serializers.CharField(), help_text="the columns whose values name a thing")
    key = serializers.CharField(allow_null=True, help_text="the column by which others refer to it")
    columns = ModelColumnSerializer(many=True)
    name_candidates = serializers.ListField(child=serializers.CharField(), help_text="best first")
    examples = serializers.ListField(child=serializers.CharField())
    is_fixed = serializers.BooleanField(help_text="the file says what it is, so that nothing of it can be chosen")


class EdgeAttributeSerializer(serializers.Serializer[object]):
    """An attribute of edges, and what becomes of it."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    type = serializers.ChoiceField(choices=COLUMN_TYPES)
    filled = serializers.IntegerField(help_text="edges that have it")
    samples = serializers.ListField(child=serializers.CharField())
    use = serializers.ChoiceField(
        choices=EDGE_USES,
        help_text="``measure`` of a row that the edge becomes, ``fact`` of the source, or ``kept`` beside the fact",
    )


class EdgeKindSerializer(serializers.Serializer[object]):
    """Edges of one relation from one kind to another."""

    table = serializers.CharField(allow_blank=True, help_text="the kind of the source; empty where none describes it")
    relation = serializers.CharField()
    target = serializers.CharField(allow_blank=True, help_text="the kind of the target")
    count = serializers.IntegerField()
    attributes = EdgeAttributeSerializer(many=True)


class ModelReferenceSerializer(serializers.Serializer[object]):
    """A column whose values are keys, or names, of things of a kind."""

    table = serializers.CharField()
    column = serializers.CharField()
    target = serializers.CharField()
    target_column = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    matched = serializers.IntegerField()
    filled = serializers.IntegerField()
    unmatched = serializers.ListField(child=serializers.CharField())
    is_used = serializers.BooleanField()


class ModelRowSerializer(serializers.Serializer[tuple[int, str]]):
    """A row that a warning is about."""

    line = serializers.IntegerField()
    text = serializers.CharField()

    def to_representation(self, row: tuple[int, str]) -> dict[str, Any]:
        """Name the parts."""
        line, text = row
        return {"line": line, "text": text}


class ModelWarningSerializer(serializers.Serializer[object]):
    """Something of a table that a person should look at. ``table`` is empty where it is about all files."""

    table = serializers.CharField()
    message = serializers.CharField()
    rows = ModelRowSerializer(many=True)


class DataModelSerializer(serializers.Serializer[DataModel]):
    """The model of all files of an import; it, or a part of it, is taken as ``model`` where files are taken."""

    kinds = ModelKindSerializer(many=True)
    references = ModelReferenceSerializer(many=True)
    warnings = ModelWarningSerializer(many=True)
    is_sampled = serializers.BooleanField(help_text="only the beginning of large files was read")
    edges = EdgeKindSerializer(many=True)
    languages = LanguageSerializer(many=True, help_text="of names")


class ModelView(UserView):
    """A look at what files hold, as a graph would have it."""

    permission_classes = [Analyst]

    @extend_schema(operation_id="uploads_model", request=ModelRequestSerializer, responses=DataModelSerializer)
    def post(self, request: Request) -> Response:
        """Infer the data model of files, under the corrections chosen. Nothing is kept."""
        data = validate_form(ModelRequestSerializer(data=request.data))
        options = ReadOptions.from_values(data)
        graph = None if data["graph"] is None else find_graph(self.user, data["graph"])
        kept = _find_kept_model(graph) if graph is not None else None
        uploads = services.require_complete(ids=data["uploads"], user=self.user)
        names = {upload.path: upload.name for upload in uploads}
        with ExitStack() as stack:
            stack.enter_context(_inferring.take_turn(self.user.pk, most=1, refusal=_make_limit_error()))
            sampled = _open_samples(stack, data["sources"], self.user)
            cut = [path for path in sampled if _cut_last_line(path)]
            names |= sampled
            if not names and graph is not None:
                model = _infer_again(graph, options.model or {})
            else:
                model = _infer_model(names, options) if kept is None else _infer_like(kept, names, options)
        return Response(DataModelSerializer(dataclasses.replace(model, is_sampled=model.is_sampled or bool(cut))).data)


def _open_samples(stack: ExitStack, sources: list[str], user: User) -> dict[Path, str]:
    """Files of the beginnings of files elsewhere, by what their owners call them."""
    until = time.monotonic() + WITHIN_S
    return {
        stack.enter_context(open_sample(source, user=user, until=until)): remote_sources.extract_name(source)
        for source in sources
    }


def _cut_last_line(path: Path) -> bool:
    """Whether a sample is a part of its file only; the line at its end, if it is text, is removed then."""
    content = path.read_bytes()
    if len(content) < SAMPLE:
        return False
    if b"\0" not in content[:1024]:
        os.truncate(path, content.rfind(b"\n") + 1 or len(content))
    return True


def _infer_model(names: Mapping[Path, str], options: ReadOptions) -> DataModel:
    """The model of files; of those that cannot be read, one with a warning that says why."""
    release_connection()  # it may take seconds
    first = next(iter(names.values()))
    what = first if len(names) == 1 else f"{first} and {len(names) - 1:,} more"
    try:
        return child_process.call(read_model, list(names), options, names=names, what=what, limits=LIMITS)
    except SourceError as error:
        return DataModel(warnings=(ModelWarning(first if len(names) == 1 else "", str(error)),))


def _infer_like(kept: DataModel, names: Mapping[Path, str], options: ReadOptions) -> DataModel:
    """The model of files, where nothing else is chosen like that of another version, if that fits.

    Raises:
        ConfigError: the choices of ``options`` do not fit.
    """
    merged = merge_models(kept.to_json(), options.model or {})
    try:
        return _infer_model(names, dataclasses.replace(options, model=merged))
    except ConfigError as error:
        model = _infer_model(names, options)
        message = f"The model of the current version does not fit these files, and is not used: {error.message}"
        return dataclasses.replace(model, warnings=(ModelWarning("", message), *model.warnings))


def _find_kept_model(graph: Graph) -> DataModel | None:
    """The model that the current version of a graph was imported with, if it has one."""
    return None if graph.snapshot is None else load_model(files.ensure_local_path(graph.snapshot.path))


def _infer_again(graph: Graph, changes: Mapping[str, Any]) -> DataModel:
    """The model that a graph would have by changes of the one that it has.

    Raises:
        ConfigError: a change does not fit, or needs files that are not kept.
        NoModelError, GraphNotReadyError: there is no model.
    """
    version = snapshots.require_current(graph)
    kept = model_changes.load_version_model(version)
    if not (changes.get("kinds") or changes.get("references")):
        return model_changes.add_examples(kept, version)
    merged = merge_models(kept.to_json(), changes)
    model: DataModel | None = None
    for step in list_steps(version):
        if step.mode != Mode.REMOVE:
            names = {files.ensure_local_path(source.path): source.name for source in step.files}
            inferred = _infer_model(names, dataclasses.replace(step.options, model=merged))
            model = inferred if model is None else model.add_tables(inferred)
    if model is None:
        return model_changes.add_examples(update_labels(kept, ModelChoices.from_json(merged)), version)
    return model


def _make_limit_error() -> TooManyUploadsError:
    return TooManyUploadsError(
        "The data model of other files of yours is being inferred.", hint="Wait until that is done."
    )


class ModelChangeSerializer(serializers.Serializer[object]):
    """Changes of the model of the current version."""

    model = ModelField(help_text="what is to be otherwise")
    note = PlainText(max_length=2000, allow_blank=True, default="")


class ModelTextSerializer(serializers.Serializer[object]):
    """The text of a model, and the form that it is wanted in."""

    text = serializers.CharField(max_length=MODEL_BYTES, trim_whitespace=False, help_text="JSON, CSVW metadata or RML")
    form = serializers.ChoiceField(choices=list(FILES), default="json")


class ModelConversionView(UserView):
    """Forms of data models."""

    permission_classes = [Analyst]

    @extend_schema(operation_id="uploads_model_convert", request=ModelTextSerializer, responses=ModelTextSerializer)
    def post(self, request: Request) -> Response:
        """Write a model, of any form that can be read, in another one. Nothing is kept."""
        data = validate_form(ModelTextSerializer(data=request.data))
        return Response({"text": write_model(read_model_text(data["text"]), data["form"]), "form": data["form"]})


class GraphModelView(VersionedView, GraphView):
    """The data model of a version."""

    @extend_schema(
        operation_id="graphs_model",
        parameters=[VERSION, OpenApiParameter("form", str, enum=list(FILES), description="how it is written")],
        responses=DataModelSerializer,
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        """The data model that a version was imported with, to be saved as a file too: JSON, CSVW metadata or RML."""
        version = self.get_version(request, pk)
        wanted = request.query_params.get("form", "json")
        form = next((form for form in FILES if form == wanted), None)
        if form is None:
            raise InvalidError(f"There is no form {wanted}.", hint=f"Use one of: {', '.join(FILES)}.")
        model = model_changes.add_examples(model_changes.load_version_model(version), version)
        name, media_type = FILES[form]
        if form == "json":
            answer: HttpResponse = Response(DataModelSerializer(model).data)
        else:
            answer = HttpResponse(write_model(model.to_json(), form), content_type=f"{media_type}; charset=utf-8")
        ending = name.partition(".")[2]
        answer["Content-Disposition"] = f'attachment; filename="model-{version.graph_id}-{version.version}.{ending}"'
        return answer

    @extend_schema(operation_id="graphs_model_change", request=ModelChangeSerializer, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make the next version of the files that are kept, by a changed model. It becomes the current one.

        Labels, units and columns to leave out can be changed where the files are not kept, too.
        """
        graph = self.get_graph(pk)
        data = validate_form(ModelChangeSerializer(data=request.data))
        quotas.require_room(self.user, 0)
        job = model_changes.start(graph=graph, changes=data["model"], note=data["note"], user=self.user)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
