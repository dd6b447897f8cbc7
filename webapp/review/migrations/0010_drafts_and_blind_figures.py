"""Drafts of judgements; and figures of a queue leave out what would tell of items that are still judged blind."""

from collections import Counter

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from webapp.review.domain import consensus, counters

BATCH = 1000


def recount(apps, schema_editor):
    """Bring the counters of each queue to what its annotations say."""
    items = apps.get_model("review", "Item")
    for queue in apps.get_model("review", "Queue").objects.all():
        rows = items.objects.filter(queue=queue).exclude(submitted=0, adjudicated=None).order_by("pk")
        keys = list(rows.values_list("pk", flat=True))
        wanted = Counter()
        for first in range(0, len(keys), BATCH):
            batch = items.objects.filter(pk__in=keys[first : first + BATCH])
            held = consensus.load_annotations(keys[first : first + BATCH])
            for row in batch:
                wanted.update(counters.count_item(row, held.get(row.pk, [])))
        counters.add(queue.pk, "", counters.read(queue.pk), wanted)


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0009_walks_per_question"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="submission",
            name="kind",
            field=models.CharField(
                choices=[
                    ("submitted", "an analyst judged it"),
                    ("replaced", "an analyst judged it again"),
                    ("undone", "an analyst took back what they did"),
                    ("redone", "what was taken back counts again"),
                    ("added-path", "an analyst added a path"),
                    ("adjudicated", "a person decided it"),
                    ("undecided", "the decision was taken back"),
                    ("settled", "what all agree on was accepted"),
                    ("unsettled", "the acceptance was taken back"),
                    ("imported", "verdicts came from a file"),
                    ("answered", "a person said what the right answers are"),
                    ("reopened", "a new version of the graph changed facts of its paths"),
                ],
                default="submitted",
                max_length=12,
            ),
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                (
                    "purpose",
                    models.CharField(choices=[("judgement", "Judgement"), ("decision", "Decision")], max_length=9),
                ),
                ("content", models.JSONField()),
                ("revision", models.UUIDField()),
                ("saved_at", models.DateTimeField(auto_now=True)),
                (
                    "analyst",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="review.item",
                    ),
                ),
                (
                    "queue",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="review.queue",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["queue", "analyst"], name="review_draft_by")],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "analyst", "purpose"), name="review_draft_once")
                ],
            },
        ),
        migrations.RunPython(recount, migrations.RunPython.noop),
    ]
