"""``/graphs/{id}/facts/sources``: where facts come from."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from webapp.api.errors import InvalidError
from webapp.graphs import provenance, snapshots
from webapp.graphs.api import VERSION
from webapp.graphs.selectors import find_graph, require_version

FACTS_MAX = 50
"""Facts that are looked up at a time."""

_FACTS = OpenApiParameter(
    "fact",
    OpenApiTypes.STR,
    many=True,
    required=True,
    description=f"``head|relation|tail`` of each of at most {FACTS_MAX} facts: the number of an entity, the name of a "
    "relation, the number of an entity",
)


class EditAuthorSerializer(serializers.Serializer[object]):
    """Who edited a graph."""

    person = serializers.CharField()
    edited_at = serializers.DateTimeField()
    reason = serializers.CharField()


class FactSourceSerializer(serializers.Serializer[object]):
    """Where a fact comes from."""

    type = serializers.ChoiceField(choices=["file", "edit"])
    name = serializers.CharField(help_text="of the file as its owner calls it; ``edit:`` and a number for an edit")
    row = serializers.IntegerField(allow_null=True, help_text="from 1; null where only the file is known")
    edit = serializers.IntegerField(allow_null=True, help_text="the number of the edit")
    author = EditAuthorSerializer(allow_null=True, help_text="of the edit; null where it is not known")


class LocatedFactSerializer(serializers.Serializer[object]):
    """A fact with where it comes from."""

    fact = serializers.CharField(help_text="as asked")
    source = FactSourceSerializer(  # type: ignore[assignment]  # a field of this name hides an option of the base
        allow_null=True, help_text="null where it is not known, or the version does not hold the fact"
    )


class FactSourcesView(APIView):
    """The files and rows that state facts."""

    @extend_schema(parameters=[_FACTS, VERSION], responses=LocatedFactSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """In the order of the facts."""
        graph = find_graph(request.user, pk)
        texts = request.query_params.getlist("fact")
        facts = _parse_facts(texts)
        wanted = request.query_params.get("snapshot", "")
        snapshot = (
            snapshots.open_snapshot(require_version(graph, wanted).path) if wanted else snapshots.open_current(graph)
        )
        sources = provenance.list_fact_sources(graph, snapshot, facts)
        rows = [{"fact": text, "source": source} for text, source in zip(texts, sources, strict=True)]
        return Response(LocatedFactSerializer(rows, many=True).data)


def _parse_facts(texts: list[str]) -> list[provenance.FactKey]:
    if not 1 <= len(texts) <= FACTS_MAX:
        raise InvalidError(f"Give from 1 to {FACTS_MAX} facts.", hint="Ask for the others in another request.")
    facts = []
    for text in texts:
        head, _, rest = text.partition("|")
        relation, _, tail = rest.rpartition("|")
        if not (relation and all(end.isascii() and end.isdigit() and len(end) <= 18 for end in (head, tail))):
            raise InvalidError(
                f"{text[:200]!r} is no fact.", hint="Write head|relation|tail, with numbers of entities."
            )
        facts.append(provenance.FactKey(int(head), relation, int(tail)))
    return facts
