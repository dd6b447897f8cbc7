"""``/graphs/{id}/vocabulary``: descriptions and synonyms of a graph's relations and kinds."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from retrieval.kg.snapshot import Snapshot
from webapp.api.errors import InvalidError
from webapp.api.fields import PlainText
from webapp.api.params import validate_form
from webapp.graphs.models import Graph
from webapp.graphs.views import GraphView
from webapp.vocabulary import selectors, services
from webapp.vocabulary.models import Category, VocabularyEntry
from webapp.vocabulary.selectors import DescribedTerm

NAME_MAX = 10_000


class TermKeySerializer(serializers.Serializer[object]):
    """Which term is meant."""

    category = serializers.ChoiceField(choices=Category.choices)
    name = PlainText(max_length=NAME_MAX, help_text="of a relation as the graph spells it, of a kind its label")


class NewTermSerializer(TermKeySerializer):
    """A term as somebody describes it; it replaces what was said of it before."""

    description = PlainText(max_length=2_000, allow_blank=True, default="")
    synonyms = serializers.ListField(child=PlainText(max_length=services.SYNONYM_LENGTH_MAX), default=list)
    unit = PlainText(max_length=40, allow_blank=True, default="")


class VocabularyFileSerializer(serializers.Serializer[object]):
    """A vocabulary as a file holds it."""

    terms = NewTermSerializer(many=True)

    def validate_terms(self, terms: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Refuse more terms than a graph has."""
        if len(terms) > services.ENTRIES_MAX:
            raise serializers.ValidationError(f"At most {services.ENTRIES_MAX:,} terms are taken at a time.")
        return terms


class TermSerializer(serializers.Serializer[DescribedTerm]):
    """A relation or a kind of the current version; ``count`` is null where that version lacks it."""

    category = serializers.ChoiceField(choices=Category.choices, source="term.category")
    name = serializers.CharField(source="term.name")
    label = serializers.SerializerMethodField()  # type: ignore[assignment]  # a field of this name hides an option
    count = serializers.SerializerMethodField()
    description = serializers.CharField(source="term.description")
    synonyms = serializers.ListField(child=serializers.CharField(), source="term.synonyms")
    unit = serializers.CharField(source="term.unit")
    domain = serializers.ListField(child=serializers.CharField(), source="term.domain")
    range = serializers.ListField(child=serializers.CharField(), source="term.range")
    inverse = serializers.ListField(child=serializers.CharField(), source="term.inverse")
    broader = serializers.ListField(child=serializers.CharField(), source="term.broader")
    examples = serializers.SerializerMethodField(help_text="(head, tail) of a relation, (member,) of a kind")
    warnings = serializers.ListField(child=serializers.CharField())
    question = serializers.CharField(help_text="an example that uses its first synonym, else its label")
    updated_by = serializers.SerializerMethodField(help_text="who described it; null where its files did, or nobody")
    updated_at = serializers.SerializerMethodField()

    def get_label(self, row: DescribedTerm) -> str:
        """As people read it."""
        return row.graph_term.label if row.graph_term else row.term.name

    def get_count(self, row: DescribedTerm) -> int | None:
        """Facts of a relation, members of a kind."""
        return row.graph_term.count if row.graph_term else None

    def get_examples(self, row: DescribedTerm) -> list[list[str]]:
        """At most three."""
        return [list(example) for example in row.graph_term.examples] if row.graph_term else []

    def get_updated_by(self, row: DescribedTerm) -> str | None:
        """Their name."""
        return row.entry.updated_by.username if row.entry and row.entry.updated_by else None

    def get_updated_at(self, row: DescribedTerm) -> str | None:
        """When."""
        return row.entry.updated_at.isoformat() if row.entry else None


class VocabularySerializer(serializers.Serializer[object]):
    """The relations and kinds of a graph, most frequent first."""

    terms = TermSerializer(many=True)


def _render(graph: Graph, snapshot: Snapshot) -> Response:
    return Response(VocabularySerializer({"terms": selectors.list_terms(graph, snapshot)}).data)


class VocabularyView(GraphView):
    """The vocabulary of a graph. It changes how questions are read, so that who manages the graph changes it."""

    @extend_schema(operation_id="graphs_vocabulary", responses=VocabularySerializer)
    def get(self, request: Request, pk: int) -> Response:
        """All relations and kinds with what is known of them."""
        graph = self.get_graph(pk)
        return _render(graph, selectors.open_described(graph))

    @extend_schema(operation_id="graphs_vocabulary_save", request=NewTermSerializer, responses=VocabularySerializer)
    def put(self, request: Request, pk: int) -> Response:
        """Describe one term; the next question is read with its synonyms."""
        graph = self.get_graph(pk)
        entry = _build_entry(validate_form(NewTermSerializer(data=request.data)))
        snapshot = selectors.open_described(graph)
        _require_term(graph, snapshot, entry)
        services.save_entries(graph=graph, entries=[entry], user=self.user)
        return _render(graph, snapshot)

    @extend_schema(
        operation_id="graphs_vocabulary_delete",
        parameters=[OpenApiParameter("category", str, required=True), OpenApiParameter("name", str, required=True)],
        responses=VocabularySerializer,
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Forget what people said of one term; what came with the files holds again."""
        graph = self.get_graph(pk)
        snapshot = selectors.open_described(graph)
        services.delete_entry(graph=graph, **validate_form(TermKeySerializer(data=request.query_params)))
        return _render(graph, snapshot)


class VocabularyFileView(GraphView):
    """The vocabulary of a graph as a file."""

    @extend_schema(operation_id="graphs_vocabulary_download", responses=VocabularyFileSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """What people and files said of its terms, as another graph takes it."""
        graph = self.get_graph(pk)
        known = selectors.load_graph_vocabulary(graph, selectors.open_described(graph).path)
        rows = VocabularyFileSerializer({"terms": known.terms}).data
        name = f"vocabulary-{graph.pk}.json"
        return Response(rows, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    @extend_schema(
        operation_id="graphs_vocabulary_upload", request=VocabularyFileSerializer, responses=VocabularySerializer
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take the terms of a file; terms that the graph lacks are kept and shown as unused."""
        graph = self.get_graph(pk)
        data = validate_form(VocabularyFileSerializer(data=request.data))
        snapshot = selectors.open_described(graph)
        services.save_entries(graph=graph, entries=[_build_entry(term) for term in data["terms"]], user=self.user)
        return _render(graph, snapshot)


def _build_entry(data: dict[str, Any]) -> services.NewEntry:
    return services.NewEntry(**{**data, "synonyms": tuple(data["synonyms"])})


def _require_term(graph: Graph, snapshot: Snapshot, entry: services.NewEntry) -> None:
    """Refuse a term that neither what is described nor the vocabulary has.

    Raises:
        InvalidError: the graph has no such term.
    """
    key = (entry.category, entry.name)
    known = {(row.term.category, row.term.name) for row in selectors.list_terms(graph, snapshot)}
    if key not in known and not VocabularyEntry.objects.filter(graph=graph, category=key[0], name=key[1]).exists():
        raise InvalidError(
            f"{graph.name} has no {entry.category} “{entry.name}”.",
            hint="Take the name from the list of its relations and kinds.",
        )
