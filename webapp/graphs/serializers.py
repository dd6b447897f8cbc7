"""Graphs as the API shows and takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib.auth.models import Group
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from webapp.accounts.models import User
from webapp.api.fields import PlainText, RowError
from webapp.api.schema import READER_NAME
from webapp.graphs.models import Graph, GraphEndpoint, GraphVersion, ImportProblem, Visibility
from webapp.graphs.reading import ReadingSerializer
from webapp.graphs.selectors import get_endpoint
from webapp.jobs.serializers import JobSerializer

MAX_FILES = 500
Field = serializers.Field[Any, Any, Any, Any]


class SnapshotSerializer(serializers.ModelSerializer[GraphVersion]):
    """A version of a graph."""

    class Meta:
        model = GraphVersion
        fields = ["hash", "version", "created_at"]


class GroupNameSerializer(serializers.ModelSerializer[Group]):
    """A group of people."""

    class Meta:
        model = Group
        fields = ["id", "name"]


class EndpointSerializer(serializers.ModelSerializer[GraphEndpoint]):
    """The endpoint that a graph lives in, and what the last check of it found."""

    languages = serializers.ListField(child=serializers.CharField())
    error = RowError()

    class Meta:
        model = GraphEndpoint
        fields = [
            *("url", "named_graph", "languages", "hops", "max_triples", "per_entity", "timeout"),
            *("checked_at", "took_ms", "named", "error"),
        ]


class LanguageSerializer(serializers.Serializer[tuple[str, int]]):
    """A language that entities have names in."""

    tag = serializers.CharField(help_text="as in BCP 47: ``pt-BR``")
    count = serializers.IntegerField(help_text="entities with a name in it")

    def to_representation(self, row: tuple[str, int]) -> dict[str, Any]:
        """Name the parts."""
        tag, count = row
        return {"tag": tag, "count": count}


class GraphSerializer(serializers.ModelSerializer[Graph]):
    """A graph."""

    #: Fields of the apps above, which add them when they start.
    added: ClassVar[dict[str, Callable[[], Field]]] = {}

    entities = serializers.IntegerField(source="snapshot.entities", read_only=True, default=0)
    relations = serializers.IntegerField(source="snapshot.relations", read_only=True, default=0)
    triples = serializers.IntegerField(source="snapshot.triples", read_only=True, default=0)
    passages = serializers.IntegerField(source="snapshot.passages", read_only=True, default=0)
    attributes = serializers.IntegerField(source="snapshot.attributes", read_only=True, default=0)
    languages = LanguageSerializer(source="snapshot.languages", many=True, read_only=True, default=list)
    snapshot = SnapshotSerializer(allow_null=True, read_only=True)
    endpoint = serializers.SerializerMethodField()
    problems = serializers.IntegerField(source="problem_count", read_only=True)
    examples = serializers.ListField(child=serializers.CharField(), read_only=True)
    error = RowError()
    created_by = serializers.CharField(source="created_by.username", allow_null=True, default=None)
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    groups = GroupNameSerializer(many=True)

    class Meta:
        model = Graph
        fields = [
            *("id", "name", "description", "state", "index_state", "entities", "relations", "triples"),
            *("passages", "attributes", "languages", "snapshot", "endpoint", "problems", "examples", "error"),
            *("created_at", "created_by", "owner", "visibility", "groups"),
        ]

    def get_fields(self) -> dict[str, Field]:
        """With those of other apps."""
        return {**super().get_fields(), **{name: make() for name, make in self.added.items()}}

    @extend_schema_field(EndpointSerializer(allow_null=True))
    def get_endpoint(self, graph: Graph) -> dict[str, Any] | None:
        """The endpoint that it lives in."""
        endpoint = get_endpoint(graph)
        return dict(EndpointSerializer(endpoint).data) if endpoint else None


class StoredFilesSerializer(ReadingSerializer):
    """Files that lie somewhere already, and how to read them."""

    uploads = serializers.ListField(
        child=serializers.UUIDField(),
        default=list,
        max_length=MAX_FILES,
        help_text="ids of resumable uploads that are complete",
    )
    sources = serializers.ListField(
        child=PlainText(max_length=2000),
        default=list,
        max_length=MAX_FILES,
        help_text="paths on the server and addresses that the operator allows",
    )


class FilesSerializer(StoredFilesSerializer):
    """The same, or files in the request."""

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True), default=list, max_length=MAX_FILES
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """At least one file, in the request or uploaded before."""
        if not (attrs["files"] or attrs["uploads"] or attrs["sources"]):
            raise serializers.ValidationError({"files": ["Give at least one file, upload or source."]})
        return attrs


class NewGraphSerializer(serializers.Serializer[object]):
    """What a new graph is called, and who may see it."""

    name = PlainText(max_length=200)
    description = PlainText(max_length=5000, allow_blank=True, default="")
    visibility = serializers.ChoiceField(choices=Visibility.choices, default=Visibility.PRIVATE.value)


class UploadSerializer(NewGraphSerializer, FilesSerializer):
    """A graph to import."""


class GraphChangeSerializer(serializers.Serializer[object]):
    """What can be changed of a graph."""

    name = PlainText(max_length=200, required=False)
    description = PlainText(max_length=5000, required=False, allow_blank=True)
    visibility = serializers.ChoiceField(choices=Visibility.choices, required=False)
    groups = serializers.PrimaryKeyRelatedField(queryset=Group.objects.all(), many=True, required=False)
    owner = serializers.SlugRelatedField(
        slug_field="username", queryset=User.objects.filter(is_active=True), required=False
    )


class UploadedSerializer(serializers.Serializer[object]):
    """The new graph and the job that imports it."""

    graph = GraphSerializer()
    job = JobSerializer()


class ProblemSerializer(serializers.ModelSerializer[ImportProblem]):
    """A row that could not be used."""

    class Meta:
        model = ImportProblem
        fields = ["file", "line", "message", "text"]


class RelationSerializer(serializers.Serializer[object]):
    """A relation of the graph."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    count = serializers.IntegerField()


@extend_schema_field(READER_NAME)
class ReaderNameField(serializers.CharField):
    """The name of an entity in the reader's language, see ``webapp.graphs.names``."""


class NodeSerializer(serializers.Serializer[object]):
    """An entity."""

    id = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    kind = serializers.ChoiceField(choices=["entity", "cvt", "literal"])
    name = ReaderNameField(required=False)


class EntitySerializer(NodeSerializer):
    """An entity that matches what was typed."""

    about = serializers.CharField(help_text="its type and description, where the graph has them; or its IRI")
    degree = serializers.IntegerField(allow_null=True, help_text="null where an endpoint was not asked for it")
    score = serializers.FloatField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base


class LanguageNameSerializer(serializers.Serializer[object]):
    """A name of an entity in a language."""

    language = serializers.CharField()
    name = serializers.CharField()
    is_main = serializers.BooleanField(help_text="it is shown to readers of the language; else it is another name")


class NodeDetailSerializer(NodeSerializer):
    """An entity with its attributes and its names in languages."""

    attributes = serializers.DictField(child=serializers.CharField())
    names = LanguageNameSerializer(many=True)


class RelationStepSerializer(serializers.Serializer[object]):
    """One step of a relation path."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    inverse = serializers.BooleanField()


class HopSerializer(serializers.Serializer[object]):
    """One hop as walked."""

    source = NodeSerializer()  # type: ignore[assignment]  # a field of this name hides an option of the base
    step = RelationStepSerializer()
    target = NodeSerializer()
    verified = serializers.BooleanField()


class SourceSerializer(serializers.Serializer[object]):
    """A passage that a fact was extracted from."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    title = serializers.CharField()


class SourcedHopSerializer(HopSerializer):
    """One hop with the attributes of its fact and where the fact was extracted from (at most 20 passages)."""

    attributes = serializers.DictField(child=serializers.CharField())
    passages = SourceSerializer(many=True)


class PassageRowSerializer(SourceSerializer):
    """A passage in a list; ``facts`` counts what was extracted from it."""

    document = serializers.CharField()
    url = serializers.CharField()
    excerpt = serializers.CharField()
    facts = serializers.IntegerField()


class PassageDetailSerializer(SourceSerializer):
    """A passage with what was extracted from it: at most 200 of ``total`` facts."""

    text = serializers.CharField()
    document = serializers.CharField()
    url = serializers.CharField()
    facts = SourcedHopSerializer(many=True)
    total = serializers.IntegerField()


class FactQuerySerializer(serializers.Serializer[object]):
    """Which fact to show."""

    head = serializers.IntegerField(min_value=0)
    relation = PlainText(max_length=4096)
    tail = serializers.IntegerField(min_value=0)


class GroupSerializer(serializers.Serializer[object]):
    """An entity's facts of one relation in one direction."""

    relation = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name hides an option of the base
    direction = serializers.ChoiceField(choices=["out", "in"])
    count = serializers.IntegerField()


class NeighboursSerializer(serializers.Serializer[object]):
    """What lies around an entity. ``shown`` of ``total`` hops are listed."""

    node = NodeDetailSerializer()
    groups = GroupSerializer(many=True)
    hops = SourcedHopSerializer(many=True)
    total = serializers.IntegerField()
    shown = serializers.IntegerField()
    cut = serializers.BooleanField(default=False, help_text="an endpoint has more facts of it than were pulled")


class NeighboursQuerySerializer(serializers.Serializer[object]):
    """Which neighbours to list."""

    entity = serializers.IntegerField(min_value=0)
    relation = PlainText(max_length=2000, required=False)
    direction = serializers.ChoiceField(choices=["out", "in"], required=False)
    limit = serializers.IntegerField(min_value=0, max_value=500, default=50)
    offset = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)
