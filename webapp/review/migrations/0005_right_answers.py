import django.db.models.deletion
from django.db import migrations, models


ASSUMED = """
    UPDATE review_item i SET assumed = true FROM review_queue q
    WHERE q.id = i.queue_id AND q.flagged AND i.key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0004_deleted_queues_and_decisions_taken_back"),
    ]

    operations = [
        migrations.AddField(
            model_name="item",
            name="answered",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="review.submission",
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="assumed",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="submission",
            name="answers",
            field=models.JSONField(null=True),
        ),
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
                ],
                default="submitted",
                max_length=12,
            ),
        ),
        migrations.RunSQL(ASSUMED, migrations.RunSQL.noop),
    ]
