import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

BACKFILL = """
    UPDATE review_submission s SET
        queue_id = i.queue_id,
        kind = CASE WHEN s.undoes_id IS NOT NULL THEN 'undone'
                    WHEN s.replaces_id IS NOT NULL THEN 'replaced'
                    ELSE 'submitted' END
    FROM review_item i WHERE i.id = s.item_id;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET CONSTRAINTS ALL DEFERRED;
"""
# An account may go; nothing else of an event ever changes.
FINAL = """
    CREATE FUNCTION review_event_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.analyst_id IS NOT NULL OR to_jsonb(NEW) - 'analyst_id' IS DISTINCT FROM to_jsonb(OLD) - 'analyst_id'
        THEN
            RAISE EXCEPTION 'events of a review are never changed';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER review_event_is_final BEFORE UPDATE ON review_submission
    FOR EACH ROW EXECUTE FUNCTION review_event_is_final();
"""
NOT_FINAL = """
    DROP TRIGGER review_event_is_final ON review_submission;
    DROP FUNCTION review_event_is_final();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("graphs", "0002_passages_and_attributes"),
        ("jobs", "0005_review"),
        ("questions", "0002_question_passages"),
        ("review", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("by", models.CharField(max_length=150)),
                ("key", models.TextField()),
                ("n", models.BigIntegerField()),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.RemoveIndex(
            model_name="item",
            name="review_item_state",
        ),
        migrations.AddField(
            model_name="candidate",
            name="author",
            field=models.CharField(blank=True, max_length=150),
        ),
        migrations.AddField(
            model_name="candidate",
            name="edited_from",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="review.candidate",
            ),
        ),
        migrations.AddField(
            model_name="candidate",
            name="retired",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="item",
            name="accord",
            field=models.CharField(
                choices=[("none", "nobody judged it"), ("unanimous", "Unanimous"), ("split", "Split")],
                default="none",
                max_length=9,
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="adjudicated",
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
            name="settled",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="queue",
            name="flagged",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="submission",
            name="batch",
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
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
                    ("settled", "what all agree on was accepted"),
                    ("unsettled", "the acceptance was taken back"),
                    ("imported", "verdicts came from a file"),
                ],
                default="submitted",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="path",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.candidate",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="queue",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.queue",
            ),
        ),
        migrations.RunSQL(BACKFILL, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="submission",
            name="queue",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.queue",
            ),
        ),
        migrations.AlterField(
            model_name="candidate",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="candidates",
                to="review.item",
            ),
        ),
        migrations.AlterField(
            model_name="item",
            name="queue",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="rows",
                to="review.queue",
            ),
        ),
        migrations.AlterField(
            model_name="reservation",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reservations",
                to="review.item",
            ),
        ),
        migrations.AlterField(
            model_name="reservation",
            name="queue",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.queue",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="standings",
                to="review.item",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="queue",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="standings",
                to="review.queue",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="analyst",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="replaces",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.submission",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="undoes",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.submission",
            ),
        ),
        migrations.AlterField(
            model_name="verdict",
            name="submission",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="verdicts",
                to="review.submission",
            ),
        ),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(
                condition=models.Q(("edited_from__isnull", False)),
                fields=["edited_from"],
                name="review_candidate_edited",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["queue", "state", "position"], name="review_item_state"),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("accord", "split")),
                fields=["queue", "position"],
                name="review_item_split",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("adjudicated__isnull", False)),
                fields=["adjudicated"],
                name="review_item_decided",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["queue", "at", "id"], name="review_event_at"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["queue", "analyst_name", "at"], name="review_event_by"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(condition=models.Q(("path__isnull", False)), fields=["path"], name="review_event_path"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("replaces__isnull", False)),
                fields=["replaces"],
                name="review_event_replaces",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("undoes__isnull", False)), fields=["undoes"], name="review_event_undoes"
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("batch__isnull", False)), fields=["batch"], name="review_event_batch"
            ),
        ),
        migrations.AddConstraint(
            model_name="queue",
            constraint=models.UniqueConstraint(
                condition=models.Q(("flagged", True)), fields=("snapshot",), name="review_queue_flagged"
            ),
        ),
        migrations.AddField(
            model_name="tally",
            name="queue",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="review.queue",
            ),
        ),
        migrations.AddConstraint(
            model_name="tally",
            constraint=models.UniqueConstraint(fields=("queue", "by", "key"), name="review_tally_once"),
        ),
        migrations.RunSQL(FINAL, NOT_FINAL),
    ]
