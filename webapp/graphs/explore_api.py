"""``/graphs/{id}/picture`` and ``/graphs/{id}/paths``: what Explore draws."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from retrieval.kg.snapshot import Snapshot
from webapp.api.params import validate_form
from webapp.graphs import endpoints, pictures, selectors, similar, snapshots
from webapp.graphs.api import VERSION
from webapp.graphs.models import Graph
from webapp.graphs.names import add_names
from webapp.graphs.selectors import find_graph, get_endpoint
from webapp.graphs.serializers import HopSerializer, NodeSerializer


class EntityListField(serializers.CharField):
    """Numbers of entities, separated by commas."""

    default_error_messages = {
        "numbers": "Give the numbers of entities, separated by commas.",
        "many": f"At most {pictures.ENTITIES_MAX} entities are drawn at a time. Leave some out.",
    }

    def to_internal_value(self, data: Any) -> Any:
        """As a list without repetitions, in the order given."""
        parts = [part for part in super().to_internal_value(data).split(",") if part]
        if not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
            self.fail("numbers")
        if len(parts) > pictures.ENTITIES_MAX:
            self.fail("many")
        return list(dict.fromkeys(map(int, parts)))


class PictureQuerySerializer(serializers.Serializer[object]):
    """What is to be drawn."""

    entities = EntityListField(
        max_length=10_000, help_text=f"numbers of at most {pictures.ENTITIES_MAX} entities, by commas"
    )


class CoordinatesSerializer(serializers.Serializer[object]):
    """A place on the earth, in degrees."""

    latitude = serializers.FloatField()
    longitude = serializers.FloatField()


class PictureNodeSerializer(NodeSerializer):
    """An entity of a picture."""

    type = serializers.CharField(
        help_text="what kind of thing it is: as the graph says, else as the names of its relations tell"
    )
    place = CoordinatesSerializer(allow_null=True, help_text="null where the graph does not say")
    degree = serializers.IntegerField(
        allow_null=True, help_text="its facts in the graph; null where an endpoint was not asked"
    )
    iri = serializers.CharField(help_text="of entities that came from RDF")


class PictureSerializer(serializers.Serializer[object]):
    """Entities with the facts among them."""

    nodes = PictureNodeSerializer(many=True)
    hops = HopSerializer(many=True, help_text=f"at most {pictures.FACTS_MAX} of ``total``")
    total = serializers.IntegerField()
    missing = serializers.ListField(
        child=serializers.IntegerField(), help_text="entities that this version does not have"
    )
    kinds = serializers.ListField(
        child=serializers.CharField(), help_text="those that most entities of the graph are of, most first"
    )


class PathsQuerySerializer(serializers.Serializer[object]):
    """Between what."""

    source = serializers.IntegerField(min_value=0)  # type: ignore[assignment]  # a field of this name hides an option of the base
    target = serializers.IntegerField(min_value=0)
    hops = serializers.IntegerField(min_value=1, max_value=pictures.HOPS_MAX, default=4)


class PathsSerializer(serializers.Serializer[object]):
    """The shortest paths, all of one length; none where they are further apart than was looked."""

    paths = serializers.ListField(child=HopSerializer(many=True))
    truncated = serializers.BooleanField(help_text="there are more, or a limit cut some off")


class SimilarQuerySerializer(serializers.Serializer[object]):
    """Like what."""

    entity = serializers.IntegerField(min_value=0)


class SimilarSerializer(serializers.Serializer[object]):
    """An entity that shares facts with another."""

    node = NodeSerializer()
    count = serializers.IntegerField(help_text="facts shared")
    hops = HopSerializer(many=True, help_text=f"the rarest of these, at most {similar.SHARED_MAX}")


class _Explored(APIView):
    """A view of the version that ``snapshot`` names, the current one without it."""

    def get_snapshot(self, request: Request, graph: Graph) -> Snapshot:
        """It.

        Raises:
            VersionGoneError: it is not there any more.
            GraphNotReadyError: there is none.
        """
        wanted = request.query_params.get("snapshot", "")
        if not wanted:
            return snapshots.open_current(graph)
        return snapshots.open_snapshot(selectors.require_version(graph, wanted).path)


class PictureView(_Explored):
    """Entities with the facts among them."""

    @extend_schema(parameters=[PictureQuerySerializer, VERSION], responses=PictureSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The same for the same entities of the same version."""
        graph = find_graph(request.user, pk)
        entities = validate_form(PictureQuerySerializer(data=request.query_params))["entities"]
        endpoint = get_endpoint(graph)
        if endpoint is not None:
            return Response(endpoints.draw_picture(endpoint, entities))
        snapshot = self.get_snapshot(request, graph)
        return Response(add_names(request, snapshot, pictures.draw_picture(snapshot, entities)))


class PathsView(_Explored):
    """Paths between two entities."""

    @extend_schema(parameters=[PathsQuerySerializer, VERSION], responses=PathsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The shortest, whichever way their facts point."""
        graph = find_graph(request.user, pk)
        data = validate_form(PathsQuerySerializer(data=request.query_params))
        arguments = data["source"], data["target"], data["hops"]
        endpoint = get_endpoint(graph)
        if endpoint is not None:
            return Response(endpoints.find_paths(endpoint, *arguments))
        snapshot = self.get_snapshot(request, graph)
        return Response(add_names(request, snapshot, pictures.find_paths(snapshot, *arguments)))


class SimilarView(_Explored):
    """Entities that are like one."""

    @extend_schema(parameters=[SimilarQuerySerializer, VERSION], responses=SimilarSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """Those that share its facts, those that share most first."""
        graph = find_graph(request.user, pk)
        entity = validate_form(SimilarQuerySerializer(data=request.query_params))["entity"]
        snapshot = self.get_snapshot(request, graph)
        return Response(add_names(request, snapshot, similar.find_similar(snapshot, entity)))
