"""``/graphs/{id}/train``."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.permissions import Analyst
from webapp.accounts.views import UserView
from webapp.api.errors import InvalidError
from webapp.api.params import validate_form
from webapp.experiments import selectors, services
from webapp.experiments.serializers import TrainSerializer
from webapp.graphs.selectors import find_graph
from webapp.jobs.serializers import JobSerializer
from webapp.questions.selectors import list_question_sets
from webapp.review.selectors import list_queues
from webapp.review.services import training


class TrainView(UserView):
    """Training on a graph."""

    permission_classes = [Analyst]

    @extend_schema(operation_id="graphs_train", request=TrainSerializer, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Start training."""
        data = validate_form(TrainSerializer(data=request.data))
        graph, user = find_graph(self.user, pk), self.user
        question_set = self.find_named(list_question_sets(), data.pop("question_set"))
        review = self.find_named(list_queues(), data.pop("review_queue"))
        labels = self.find_named(selectors.list_label_sets(), data.pop("labels"))
        made = self.find_named(selectors.list_trajectory_sets(), data.pop("trajectories"))
        wanted = services.Training(labels=labels, trajectories=made, **data)
        if review is not None:
            job = training.start_training(
                queue=review, graph=graph, question_set=question_set, training=wanted, user=user
            )
        elif question_set is not None:
            job = services.start_training(graph=graph, question_set=question_set, training=wanted, user=user)
        else:
            raise InvalidError("There is nothing to learn from.", hint="Name a question_set or a review_queue.")
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
