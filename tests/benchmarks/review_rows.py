"""Fill the database of a running instance with a large queue: ``python -m tests.benchmarks.review_rows``.

One item is made by the application itself; the others, and what was said of them, are copies that the database makes.
Prints the queue's id and a token for each analyst as JSON. A process of its own, since Django is set up once.
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

import django

ITEM = """
    INSERT INTO review_item ({columns}) SELECT {values}
    FROM review_item made, generate_series(1, %(items)s - 1) number WHERE made.id = %(item)s
"""
CANDIDATES = """
    INSERT INTO review_candidate ({columns}) SELECT {values}
    FROM review_candidate made, review_item item WHERE made.item_id = %(item)s AND item.queue_id = %(queue)s
    AND item.id <> %(item)s
"""
EVENTS = """
    INSERT INTO review_submission (id, queue_id, item_id, kind, analyst_id, analyst_name, at, shown, comment)
    SELECT gen_random_uuid(), item.queue_id, item.id, 'submitted', person.id, person.username,
           now() - interval '1 day' + item.position * interval '0.1 second', item.shown, ''
    FROM review_item item
    CROSS JOIN generate_series(0, %(judged)s - 1) turn
    JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS number FROM accounts_user
          WHERE username LIKE 'analyst-%%') person
      ON person.number = (item.position * 7 + turn * 11) %% %(analysts)s
    WHERE item.queue_id = %(queue)s
"""
VERDICTS = """
    INSERT INTO review_verdict (submission_id, candidate_id, kind, reasons, comment)
    SELECT said.id, candidate.id,
           CASE WHEN (candidate.position = 0) = (hashtext(said.id::text) %% 10 <> 0) THEN 'rational'
                ELSE 'not-rational' END, '[]', ''
    FROM review_submission said JOIN review_candidate candidate ON candidate.item_id = said.item_id
    WHERE said.queue_id = %(queue)s
"""
STANDINGS = """
    INSERT INTO review_standing (queue_id, item_id, analyst_id, submission_id)
    SELECT queue_id, item_id, analyst_id, id FROM review_submission WHERE queue_id = %(queue)s
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, required=True)
    parser.add_argument("--analysts", type=int, required=True)
    parser.add_argument("--overlap", type=int, required=True)
    parser.add_argument("--judged", type=int, required=True, help="verdicts that each item has already")
    args = parser.parse_args()
    django.setup()
    from webapp.accounts.models import User
    from webapp.accounts.services import create_token

    people = [User(username=f"analyst-{n:03}", role="analyst", password="!") for n in range(args.analysts)]
    people = User.objects.bulk_create(people)
    tokens = [create_token(user=person) for person in people]
    queue = _queue(args.overlap)
    _copy(queue, items=args.items, analysts=args.analysts, judged=args.judged)
    print(json.dumps({"queue": queue.pk, "tokens": tokens}))


def _queue(overlap: int) -> Any:
    """A queue of one item with two paths, on a graph of two facts."""
    from retrieval.kg.build import build_snapshot
    from retrieval.kg.table import TripleTable
    from retrieval.types import QuestionRecord
    from webapp.graphs import files, progress
    from webapp.graphs.models import Graph
    from webapp.questions.services import save_question_set
    from webapp.review.models import Queue
    from webapp.review.services import queues

    graph = Graph.objects.create(name="Load", visibility="public")
    path = files.ensure_local_path(files.build_snapshot_name(graph.pk, 1))
    path.parent.mkdir(parents=True)
    table = TripleTable.from_facts([("Ada", "wrote", "Notes"), ("Ada", "knew", "Charles")])
    progress.register_version(graph=graph, version=1, manifest=build_snapshot(table, path).manifest)
    graph.refresh_from_db()
    asked = [QuestionRecord("q0", "what did Ada write?", ("Ada",), ("Notes",), split="train")]
    questions = save_question_set(name="Load", graph=graph, questions=asked, format="jsonl", user=None)
    queue = Queue.objects.create(
        name="Load", graph=graph, snapshot=graph.snapshot, question_set=questions, question_set_name="Load",
        ordering="sequential", overlap=overlap,
    )  # fmt: skip
    queues.save_items(queue=queue, drafts=[_draft()])
    return queue


def _draft() -> Any:
    from webapp.review.services import queues

    candidates = [
        queues.DraftCandidate(
            topic="Ada", path=((name, False),), steps=[{"name": name, "label": name, "inverse": False}],
            sources=[{"source": "answer-set", "label_set": 1, "name": "Load", "score": f1, "explanation": "It fits."}],
            reached=1, hits=int(f1), precision=f1, recall=f1,
        )
        for name, f1 in (("wrote", 1.0), ("knew", 0.0))
    ]  # fmt: skip
    return queues.DraftItem("q0", "what did Ada write?", ["Ada"], ["Notes"], 0.5, "Scores differ.", candidates)


def _copy(queue: Any, *, items: int, analysts: int, judged: int) -> None:
    from django.apps import apps
    from django.db import connection, transaction

    from webapp.review.models import CandidatePath, Item, Queue

    first = queue.rows.get()
    known = {"queue": queue.pk, "item": first.pk, "items": items, "analysts": analysts, "judged": judged}
    changed = {"position": "number", "key": "'q' || number", "item_id": "item.id"}
    with transaction.atomic(), connection.cursor() as cursor:
        for sql, model in ((ITEM, Item), (CANDIDATES, CandidatePath)):
            columns = [field.column for field in model._meta.concrete_fields if field.column != "id"]
            mine = changed if model is Item else {"item_id": changed["item_id"]}
            values = ", ".join(mine.get(name, f"made.{name}") for name in columns)
            cursor.execute(sql.format(columns=", ".join(columns), values=values), known)
        for sql in (EVENTS, VERDICTS, STANDINGS) if judged else ():
            cursor.execute(sql, known)
        Item.objects.filter(queue=queue).update(submitted=judged, version=judged)
        Queue.objects.filter(pk=queue.pk).update(items=items, candidates=2 * items)
        import_module("webapp.review.migrations.0003_count_what_stands").count(apps, None)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    main()
