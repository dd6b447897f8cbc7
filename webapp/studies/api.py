"""``/studies``."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.studies.presets import PRESETS
from retrieval.studies.tables import format_csv, format_latex, format_markdown
from webapp.accounts.views import RowViewSet
from webapp.api.errors import ConflictError, InvalidError
from webapp.api.params import validate_form
from webapp.experiments.selectors import list_label_sets
from webapp.graphs import files
from webapp.graphs.views import TrashableMixin
from webapp.graphs.views import download as sent
from webapp.questions.selectors import list_question_sets
from webapp.studies import selectors, services
from webapp.studies import serializers as shapes
from webapp.studies.models import CAPSULE, Study

FORMATS = {"csv": ("text/csv", "csv"), "latex": ("application/x-tex", "tex"), "md": ("text/markdown", "md")}
"""The type of each format and the ending of its file."""


class StudyViewSet(TrashableMixin, RowViewSet[Study]):
    """Studies, newest first."""

    queryset = selectors.list_studies()
    serializer_class = shapes.StudySerializer
    narrowed_by = {"graph": int}

    @extend_schema(request=shapes.StartStudySerializer, responses={202: shapes.StudyStartedSerializer})
    def create(self, request: Request) -> Response:
        """Start a study."""
        data = validate_form(shapes.StartStudySerializer(data=request.data))
        sets = [
            services.ChosenSet(
                self.find(list_question_sets(), chosen["question_set"]),
                self.find_named(list_label_sets(), chosen["labels"]),
            )
            for chosen in data.pop("sets")
        ]
        how = {name: data.pop(name) for name in ("name", "preset", "train", "test", "llm")}
        study = services.start_study(sets=sets, plan=_build_plan(data), user=self.user, **how)
        return self._render_accepted(study)

    @extend_schema(responses=shapes.StudyDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """One study, with its cells."""
        return Response(shapes.StudyDetailSerializer(self.get_object()).data)

    @extend_schema(request=None, responses={202: shapes.StudyStartedSerializer})
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Go on with a study that was stopped, or try its failed cells again."""
        study = self.get_object()
        return self._render_accepted(services.resume_study(study=study, user=self.user))

    @extend_schema(responses=shapes.PresetSerializer(many=True))
    @action(detail=False, pagination_class=None)
    def presets(self, request: Request) -> Response:
        """The papers' tables and figures as studies."""
        return Response(shapes.PresetSerializer(PRESETS, many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=[*FORMATS], description="csv unless named")],
        responses={(200, media): OpenApiTypes.STR for media, _ in FORMATS.values()},
    )
    @action(detail=True)
    def download(self, request: Request, pk: str) -> HttpResponse:
        """The table of its finished cells."""
        study = self.get_object()
        wanted = request.query_params.get("format") or "csv"
        if wanted not in FORMATS:
            raise InvalidError(f"There is no format {wanted}.", hint=f"Choose one of: {', '.join(FORMATS)}.")
        summed = selectors.compute_summary(study)
        rows, how = summed["rows"], {"split": study.plan.get("split", "test"), "winners": summed["winners"]}
        if not rows:
            raise ConflictError("No cell of this study is done yet.", hint="Wait for the first one.")
        media, ending = FORMATS[wanted]
        text = {
            "csv": lambda: format_csv(rows),
            "latex": lambda: format_latex(rows, study.name, **how),
            "md": lambda: format_markdown(rows, study.name, **how),
        }[wanted]()
        name = f'attachment; filename="study-{study.pk}.{ending}"'
        return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers={"Content-Disposition": name})

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    @action(detail=True)
    def capsule(self, request: Request, pk: str) -> FileResponse:
        """All of it as one file, for ``python -m retrieval reproduce``."""
        study = self.get_object()
        if not study.capsule:
            raise ConflictError("The capsule of this study is not made yet.", hint="It is when all cells are done.")
        path = files.ensure_local_path(files.build_study_name(study.graph_id, study.pk)) / CAPSULE
        if not path.is_file():
            raise NotFound("The capsule's file is gone from the storage.")
        return sent(path, f"study-{study.pk}.zip", "application/zip")

    def _render_accepted(self, study: Study) -> Response:
        rows: QuerySet[Study] = selectors.list_studies()
        shown = rows.get(pk=study.pk)
        answer = shapes.StudyStartedSerializer({"study": shown, "job": shown.job}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)


def _build_plan(data: dict[str, Any]) -> dict[str, Any]:
    """What came as the engine's plan: variants by name, without what was left out."""
    variants = {
        variant["name"]: {what: value for what, value in variant.items() if what != "name" and value is not None}
        for variant in data["variants"]
    }
    return {**data, "variants": variants}
