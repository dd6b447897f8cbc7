"""Of every kind of thing one's own, others' on the same graph, and others' on one that is not seen."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from retrieval.kg.model.data_model import DataModel
from tests.webapp.api.things import SECRET, Thing
from webapp.accounts.models import ApiToken, User
from webapp.answers.models import AcrossQuestion, Run
from webapp.experiments.models import Checkpoint, LabelSet, Report, TrajectorySet
from webapp.graph_tests.models import GraphTest, TestRound
from webapp.graphs import files
from webapp.graphs.models import Graph, GraphEndpoint, GraphVersion
from webapp.jobs.models import Job, JobKind
from webapp.language_models.models import Provider
from webapp.questions.models import QuestionSet
from webapp.review.models import Item, Queue
from webapp.sharing.models import SharedLink
from webapp.studies.models import Study
from webapp.uploads.models import Upload
from webapp.webhooks.models import Webhook

SPLITS = {"train": 0, "dev": 0, "test": 0}
PLAN = {"variants": {"v": {"method": "inses"}}}


@pytest.fixture
def world(tiny_graph, users):
    """``(things, people)``: of every kind one's own, others' on the same graph, and others' on one that is not seen."""
    people = {
        **users,
        **{name: User.objects.create_user(name, role="analyst") for name in ("owner", "other")},
    }
    seen, hidden = tiny_graph, Graph.objects.create(name=SECRET, owner=people["owner"], state="ready")
    seen.owner = people["owner"]
    seen.save()
    first = GraphVersion.objects.get(graph=seen)
    (files.ensure_local_path(first.path) / "data_model.json").write_text(json.dumps(DataModel().to_json()))
    for graph in (hidden,):
        first.pk, first.graph = None, graph
        first.save(force_insert=True)
        graph.snapshot = first
        graph.save()
    things = [
        *(Thing(one.pk, one.owner, one) for one in (seen, hidden)),
    ]
    made = {"graph": things, "nothing": [Thing(uuid4())]}
    made["person"] = [Thing(people["other"].pk)]
    made["group"] = [Thing(Group.objects.create(name="Group").pk)]
    made["model"] = [Thing(Provider.objects.create(name="M", base_url="http://x/v1", model="m").pk)]
    owners = [people[name] for name in ("viewer", "analyst", "other")]
    made["token"] = [Thing(ApiToken.objects.create(user=one, digest=one.username).pk, one) for one in owners]
    made["webhook"] = [Thing(Webhook.objects.create(user=one, url="http://x/").pk, one) for one in owners]
    made["upload"] = [Thing(_upload(one).pk, one) for one in owners]
    made["trashed"], made["trashed-version"], made["remote"] = [], [], []
    for place in (people["owner"], people["analyst"], people["other"]):
        gone = Graph.objects.create(name=place.username, owner=place, deleted_at=timezone.now())
        made["trashed"].append(Thing(gone.pk, place))
        kept = Graph.objects.create(name=f"of {place.username}", owner=place, visibility="public")
        first.pk, first.graph, first.deleted_at = None, kept, timezone.now()
        first.save(force_insert=True)
        made["trashed-version"].append(Thing(kept.pk, place))
    for name, visibility in (("Remote", "public"), (f"{SECRET} remote", "private")):
        remote = Graph.objects.create(name=name, owner=people["owner"], visibility=visibility, state="ready")
        GraphEndpoint.objects.create(
            graph=remote,
            url="http://x/",
            hops=1,
            max_triples=9,
            per_entity=9,
            timeout=1,
            checked_at=timezone.now(),
        )
        made["remote"].append(Thing(remote.pk, remote.owner, remote))
    for graph, makers in ((seen, owners), (hidden, [people["other"]])):
        for owner in makers:
            for kind, row in _rows(graph, owner, SECRET if graph == hidden else owner.username).items():
                made.setdefault(kind, []).append(Thing(row, owner, graph))
    return made, people


def _upload(owner):
    return Upload.objects.create(user=owner, name="f", length=9, expires_at=timezone.now() + timedelta(days=1))


def _rows(graph, owner, name):
    """A row of each kind that hangs on a graph: its number."""
    common = {"graph": graph, "created_by": owner, "question_set_name": name}
    version = graph.snapshot
    job = Job.objects.create(kind=JobKind.TRAIN, title=name, graph=graph, user=owner)
    questions = QuestionSet.objects.create(name=name, graph=graph, created_by=owner, format="jsonl", splits=SPLITS)
    thrown = QuestionSet.objects.create(
        name=f"{name} thrown", graph=graph, created_by=owner, splits=SPLITS, deleted_at=timezone.now()
    )
    labels = LabelSet.objects.create(name=name, snapshot_hash="h", strategy="answer-set", **common)
    walks = TrajectorySet.objects.create(name=name, snapshot_hash="h", policy="offline", **common)
    report = Report.objects.create(
        snapshot_hash="h", split="test", method="inses", reasoner="extractive", budget=5, seed=0, **common
    )
    trained = Checkpoint.objects.create(
        method="rel-rag-path", graph=graph, snapshot=version, encoder=name, fingerprint="f", path="p", job=job
    )
    queue = Queue.objects.create(name=name, snapshot=version, **common)
    deleted = Queue.objects.create(name=name, snapshot=version, deleted_at=timezone.now(), **common)
    item = Item.objects.create(queue=queue, position=0, key="q", question=name, doubt=0.5, reason="r", shown="s")
    study = Study.objects.create(name=name, graph=graph, plan=PLAN, created_by=owner)
    study.sets.create(position=0, name=name, graph=graph, snapshot_hash="h", question_set=questions)
    across = AcrossQuestion.objects.create(question=name, user=owner)
    run = Run.objects.create(
        graph=graph,
        across=across,
        snapshot_hash=version.hash,
        question=name,
        method="inses",
        reasoner="extractive",
        budget=5,
        seed=0,
        user=owner,
        group=uuid4(),
    )
    test = GraphTest.objects.create(graph=graph, question=name, budget=5, created_by=owner)
    watch = GraphTest.objects.create(graph=graph, question=name, budget=5, created_by=owner, watcher=owner)
    rounds = TestRound.objects.create(
        graph=graph, version=version, snapshot_hash="h", number=1, cause="asked", created_by=owner
    )
    link = SharedLink.objects.create(user=owner, run=run, digest=str(run.pk))
    return {
        "link": link.pk,
        **{"test": test.pk, "round": rounds.pk},
        # What one watches is gone with a graph that one does not see any more.
        **({"watch": watch.pk} if graph.visibility == "public" else {}),
        **{"set": questions.pk, "labels": labels.pk, "walks": walks.pk, "report": report.pk, "job": job.pk},
        **{
            "checkpoint": trained.pk,
            "study": study.pk,
            "queue": queue.pk,
            "deleted-queue": deleted.pk,
            "item": item.pk,
        },
        "trashed-set": thrown.pk,
        **{"run": run.pk, "comparison": run.group, "across": across.pk},
    }
