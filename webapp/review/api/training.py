"""``/graphs/{id}/train``."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.accounts.models import User
from webapp.accounts.permissions import Analyst
from webapp.api.access import visible
from webapp.api.errors import InvalidError
from webapp.api.params import validated
from webapp.experiments import selectors, services
from webapp.experiments.serializers import TrainSerializer
from webapp.graphs.selectors import visible_graphs
from webapp.jobs.serializers import JobSerializer
from webapp.questions.selectors import question_sets
from webapp.review.selectors import queues
from webapp.review.services import training

Row = TypeVar("Row", bound=Model)


class TrainView(APIView):
    """Training on a graph."""

    permission_classes = [Analyst]

    @extend_schema(operation_id="graphs_train", request=TrainSerializer, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Start training."""
        data = validated(TrainSerializer(data=request.data))
        graph, user = get_object_or_404(visible_graphs(request.user), pk=pk), cast(User, request.user)
        asked = _named(question_sets(), data.pop("question_set"), user)
        review = _named(queues(), data.pop("review_queue"), user)
        labels = _named(selectors.label_sets(), data.pop("labels"), user)
        made = _named(selectors.trajectory_sets(), data.pop("trajectories"), user)
        wanted = services.Training(labels=labels, trajectories=made, **data)
        if review is not None:
            job = training.start_training(
                queue=review, graph=graph, question_set=asked, training=wanted, user=user
            )
        elif asked is not None:
            job = services.start_training(graph=graph, question_set=asked, training=wanted, user=user)
        else:
            raise InvalidError(
                "There is nothing to learn from.", hint="Name a question_set or a review_queue."
            )
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


def _named(rows: QuerySet[Row], key: int | None, user: Any) -> Row | None:
    """The row that a user's request names, if it names one; 404 when it is not there for that user."""
    return None if key is None else get_object_or_404(visible(rows, user), pk=key)
