"""Graphs, their snapshots and the rows that could not be read."""

from __future__ import annotations

from typing import TypeVar

from django.conf import settings
from django.db import models

from webapp.accounts.models import Role, User
from webapp.api.access import NOBODY, AccessControlled, Person
from webapp.api.failures import Failable


class GraphState(models.TextChoices):
    """Whether a graph can be asked."""

    IMPORTING = "importing"
    READY = "ready"
    FAILED = "failed"


class IndexState(models.TextChoices):
    """Whether the vector part of the entity index has joined."""

    NONE = "none"
    BUILDING = "building"
    READY = "ready"


class Visibility(models.TextChoices):
    """Who may see a graph: its owner, the members of its groups too, or everybody. Administrators always."""

    PRIVATE = "private"
    GROUP = "group"
    PUBLIC = "public"


class Mode(models.TextChoices):
    """How a version was made: with a first or whole new content, by files that change the one before, or by hand."""

    REPLACE = "replace"
    APPEND = "append"
    REMOVE = "remove"
    EDIT = "edit"


Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class NotInTrash(models.Manager[Row_co]):
    """Rows that are not in the trash."""

    def get_queryset(self) -> models.QuerySet[Row_co]:
        """Without those that were deleted."""
        return super().get_queryset().filter(deleted_at=None)


class Trashable(AccessControlled):
    """What goes to the trash when it is deleted: nobody finds it there, but through ``with_trash``."""

    deleted_at = models.DateTimeField(null=True, editable=False)
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )

    objects = NotInTrash()
    with_trash = models.Manager()

    class Meta:
        abstract = True


class Graph(Failable):
    """A knowledge graph that somebody uploaded, private until its owner shares it.

    One with ``deleted_at`` is in the trash: nobody finds it.
    """

    owner_path = "owner_id"
    owner_role = Role.ANALYST

    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=16, choices=GraphState, default=GraphState.IMPORTING)
    index_state = models.CharField(max_length=16, choices=IndexState, default=IndexState.NONE)
    snapshot = models.ForeignKey("GraphVersion", null=True, on_delete=models.SET_NULL, related_name="+")
    examples = models.JSONField(default=list)
    problem_count = models.PositiveIntegerField(default=0)
    last_version = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="graphs")
    visibility = models.CharField(max_length=16, choices=Visibility, default=Visibility.PRIVATE)
    groups = models.ManyToManyField("auth.Group", blank=True, related_name="graphs")
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(deleted_at=None), name="graph_name_unless_deleted"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def make_visibility_filter(cls, user: Person) -> models.Q:
        """Public ones, one's own, those of one's groups; all to administrators. None of the trash."""
        if not isinstance(user, User):
            return NOBODY
        there = models.Q(deleted_at=None)
        if user.has_role(Role.ADMIN):
            return there
        shared = cls.groups.through.objects.filter(group__in=user.groups.all()).values("graph")
        mine = models.Q(visibility=Visibility.PUBLIC) | models.Q(owner=user)
        return there & (mine | models.Q(visibility=Visibility.GROUP, pk__in=shared))


class SourceFile(AccessControlled):
    """An uploaded file of a graph. ``path`` is its name in the storage, ``name`` what its owner called it.

    ``job`` imports it; ``snapshot`` is the version that came of that, None until it stands. One with an ``origin`` is
    fetched from there by the job, a path on the server or an address.
    """

    visible_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="files")
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="files")
    snapshot = models.ForeignKey("GraphVersion", null=True, on_delete=models.SET_NULL, related_name="files")
    name = models.CharField(max_length=255)
    path = models.CharField(max_length=300)
    size = models.BigIntegerField()
    origin = models.CharField(max_length=2000, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name


class GraphVersion(AccessControlled):
    """One immutable version of a graph: a directory in the storage.

    ``base`` is the version that it changed, ``bytes`` what it takes on the disk without its caches, ``report`` the
    engine's account of the import, ``languages`` those of names, each with how many: ``["de", 3]``, ``violations``
    those of the shapes that came with its files. One with ``deleted_at`` is in the trash: nobody finds it.
    """

    visible_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="snapshots")
    version = models.PositiveIntegerField()
    hash = models.CharField(max_length=128)
    path = models.CharField(max_length=300)
    entities = models.BigIntegerField()
    relations = models.BigIntegerField()
    triples = models.BigIntegerField()
    passages = models.BigIntegerField(default=0)
    attributes = models.BigIntegerField(default=0)
    languages = models.JSONField(default=list)
    bytes = models.BigIntegerField(default=0)
    mode = models.CharField(max_length=16, choices=Mode, default=Mode.REPLACE)
    base = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.TextField(blank=True)
    problem_count = models.PositiveIntegerField(default=0)
    violations = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="snapshot")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "graphs_snapshot"
        constraints = [models.UniqueConstraint(fields=["graph", "version"], name="snapshot_version")]

    def __str__(self) -> str:
        return f"{self.graph_id} v{self.version}"


class GraphEndpoint(Failable):
    """The SPARQL endpoint that a graph lives in. Such a graph has no version: it is asked where it is.

    ``named_graph`` is the graph that is asked there, empty for the endpoint's default; ``languages`` are those of names
    and texts; the limits are those of ``retrieval.kg.sparql.options.SparqlOptions``. The rest is what the last check
    found: ``named`` says whether anything there has a name in these languages.
    """

    visible_through = "graph"

    graph = models.OneToOneField(Graph, on_delete=models.CASCADE, related_name="endpoint")
    url = models.CharField(max_length=2000)
    named_graph = models.CharField(max_length=2000, blank=True)
    languages = models.JSONField(default=list)
    hops = models.PositiveSmallIntegerField()
    max_triples = models.PositiveIntegerField()
    per_entity = models.PositiveIntegerField()
    timeout = models.FloatField()
    checked_at = models.DateTimeField()
    took_ms = models.FloatField(null=True)
    named = models.BooleanField(default=True)

    class Meta:
        db_table = "graphs_endpoint"

    def __str__(self) -> str:
        return self.url


class EndpointTerm(AccessControlled):
    """An entity of an endpoint that was shown to somebody: its ``id`` stands for it wherever graphs number entities.

    ``term`` is ``<`` and an IRI, ``"`` and the text of a literal, or ``_`` and a name of a blank node; ``key`` is its
    hash, since terms may be longer than an index takes.
    """

    visible_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    term = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["graph", "key"], name="endpoint_term")]

    def __str__(self) -> str:
        return self.term


class ImportProblem(AccessControlled):
    """A row of a source file that could not be used, as the import ``job`` found it."""

    visible_through = "graph"

    graph = models.ForeignKey(Graph, on_delete=models.CASCADE, related_name="problems")
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.CASCADE, related_name="problems")
    file = models.CharField(max_length=255)
    line = models.BigIntegerField()
    message = models.TextField()
    text = models.TextField(blank=True)

    class Meta:
        db_table = "graphs_problem"
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Seeded(AccessControlled):
    """What was loaded at first start, so that it is not loaded again after somebody deleted it."""

    name = models.CharField(max_length=50, unique=True)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
