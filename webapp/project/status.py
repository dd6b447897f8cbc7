"""``/status``: what this installation can do, and whether anybody works."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from retrieval.limits import DEFAULT_BUDGET, MAX_BUDGET, QUESTION_LIMIT
from retrieval.methods import registry
from webapp.accounts.models import User
from webapp.experiments import label_sets, methods
from webapp.experiments.serializers import MethodSerializer
from webapp.jobs import heartbeats
from webapp.language_models import selectors as language_models
from webapp.project import health
from webapp.project.version import VERSION


class WorkersSerializer(serializers.Serializer[object]):
    """Living workers that answer, and those that work on jobs: of short or of long ones, the fewer."""

    answers = serializers.IntegerField()
    jobs = serializers.IntegerField()


class DefaultLanguageModelSerializer(serializers.Serializer[object]):
    """The language model that is used unless another is named, if one is set up."""

    configured = serializers.BooleanField()
    model = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True)


class LabelStrategySerializer(serializers.Serializer[object]):
    """A way to find rational paths."""

    id = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    description = serializers.CharField()
    available = serializers.BooleanField()


class BudgetsSerializer(serializers.Serializer[object]):
    """How many triples a run may retrieve."""

    default = serializers.IntegerField()
    max = serializers.IntegerField()


class TroubleSerializer(serializers.Serializer[object]):
    """Something that does not work as it should just now."""

    code = serializers.ChoiceField(choices=["queue", "workers", "disk", "graph", "plugin"])
    message = serializers.CharField()
    hint = serializers.CharField()


class StatusSerializer(serializers.Serializer[object]):
    """The installation."""

    version = serializers.CharField()
    encoder = serializers.CharField()
    workers = WorkersSerializer(help_text="none of either while the queue is not reachable")
    troubles = TroubleSerializer(many=True)
    llm = DefaultLanguageModelSerializer()
    methods = MethodSerializer(many=True)
    label_strategies = LabelStrategySerializer(many=True)
    budgets = BudgetsSerializer()
    question_max = serializers.IntegerField()


class StatusView(APIView):
    """The installation's state."""

    @extend_schema(operation_id="status", responses=StatusSerializer)
    def get(self, request: Request) -> Response:
        """What can be asked, whether workers are alive, and what is the matter."""
        current_health = health.check_health(cast(User, request.user))
        workers, llm = current_health.workers or {}, language_models.get_default()
        return Response(
            {
                "version": VERSION,
                "encoder": settings.CLEW.encoder,
                "workers": {
                    heartbeats.ANSWERS: workers.get(heartbeats.ANSWERS, 0),
                    heartbeats.JOBS: min(workers.get(queue, 0) for queue in heartbeats.JOB_QUEUES),
                },
                "troubles": current_health.troubles,
                "llm": {
                    "configured": llm is not None,
                    "model": llm.model if llm else None,
                    "name": llm.name if llm else None,
                },
                "methods": [methods.render_method(method) for method in registry.METHODS],
                "label_strategies": [
                    label_sets.render_strategy(strategy, llm_configured=llm is not None)
                    for strategy in label_sets.STRATEGIES
                ],
                "budgets": {"default": DEFAULT_BUDGET, "max": MAX_BUDGET},
                "question_max": QUESTION_LIMIT,
            }
        )
