"""``/retrieve``: what a method retrieves for questions, without an answer."""

from __future__ import annotations

from functools import partial

from django.http import HttpResponse, JsonResponse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from retrieval.events import to_plain
from webapp.accounts.views import UserView
from webapp.answers import fair_queue, retrieving, services
from webapp.answers.models import Run
from webapp.answers.serializers import OptionsField
from webapp.api.deferred import DeferredResponse, call_when_closed
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.api.schema import link_component
from webapp.experiments.selectors import list_checkpoints
from webapp.graphs.selectors import find_graph
from webapp.graphs.serializers import HopSerializer, NodeSerializer, RelationStepSerializer


class RetrieveSerializer(serializers.Serializer[object]):
    """Questions to retrieve for, and how; what is left out follows from the graph."""

    graph = serializers.IntegerField()
    questions = serializers.ListField(
        child=PlainText(allow_blank=True, max_length=100_000), allow_empty=False, max_length=retrieving.QUESTIONS_MAX
    )
    method = PlainText(max_length=32, allow_null=True, default=None)
    checkpoint = serializers.IntegerField(allow_null=True, default=None)
    budget = serializers.IntegerField(allow_null=True, default=None, help_text="most distinct facts for each question")
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
    options = OptionsField(default=dict)
    wait_s = serializers.FloatField(
        min_value=1, max_value=retrieving.WAIT_MAX_S, default=60, help_text="seconds after which the call gives up"
    )


@extend_schema_field({"type": "array", "items": link_component("LinkedEntity")})
class LinkedEntitiesField(serializers.JSONField):
    """Entities that a question was linked to, as events carry them."""


@extend_schema_field({"type": "array", "items": link_component("RetrievedPassage")})
class PassagesField(serializers.JSONField):
    """Passages that were retrieved, as events carry them."""


class RetrievedPathSerializer(serializers.Serializer[object]):
    """A path as walked from an entity of the question."""

    score = serializers.FloatField(help_text="of the method, higher is better")
    hops = HopSerializer(many=True)


class RetrievedTripleSerializer(serializers.Serializer[object]):
    """A fact of the paths or of the evidence."""

    head = NodeSerializer()
    relation = RelationStepSerializer()
    tail = NodeSerializer()
    score = serializers.FloatField(help_text="of the best path that holds it")


class RetrievalSerializer(serializers.Serializer[object]):
    """What was retrieved for one question, each list best first."""

    question = serializers.CharField()
    method = serializers.CharField()
    snapshot = serializers.CharField(help_text="hash of the version that was read")
    checkpoint = serializers.CharField(allow_null=True, help_text="fingerprint; null where nothing was trained")
    entities = LinkedEntitiesField()
    paths = RetrievedPathSerializer(many=True)
    triples = RetrievedTripleSerializer(many=True)
    passages = PassagesField()
    problem = serializers.CharField(allow_blank=True, help_text="why nothing was retrieved, or not all of it")


class RetrievalsSerializer(serializers.Serializer[object]):
    """What was retrieved for several questions, in their order."""

    results = RetrievalSerializer(many=True)


class RetrieveView(UserView):
    """Retrieval without an answer."""

    @extend_schema(request=RetrieveSerializer, responses=RetrievalsSerializer)
    def post(self, request: Request) -> HttpResponse:
        """Retrieve ranked paths, triples and passages for up to 20 questions, and wait for them. Nothing is kept."""
        data = validate_form(RetrieveSerializer(data=request.data))
        graph, questions, wait_s = find_graph(self.user, data.pop("graph")), data.pop("questions"), data.pop("wait_s")
        checkpoint = self.find_named(list_checkpoints(), data.pop("checkpoint"))
        ask = services.Ask(question="", checkpoint=checkpoint, **data)
        runs = services.create_retrievals(graph=graph, ask=ask, questions=questions, user=self.user)
        response = DeferredResponse(partial(_respond, runs, wait_s))
        call_when_closed(response, partial(retrieving.delete_runs, runs))
        for name, value in fair_queue.build_limit_headers(self.user).items():
            response.headers[name] = value
        return response


async def _respond(runs: list[Run], wait_s: float) -> HttpResponse:
    return JsonResponse(to_plain(await retrieving.wait_for_retrievals(runs, wait_s)))
