import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


MEASURE = """
    UPDATE questions_questionset s SET bytes = q.bytes FROM (
        SELECT set_id, sum(
            octet_length(key) + octet_length(question) + octet_length(topic_entities::text)
            + octet_length(answers::text) + octet_length(paths::text) + octet_length(triples::text)
            + octet_length(passages::text)
        ) AS bytes FROM questions_question GROUP BY set_id
    ) AS q WHERE q.set_id = s.id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("graphs", "0008_private_at_first"),
        ("questions", "0003_checked"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="questionset",
            name="question_set_name",
        ),
        migrations.AddField(
            model_name="questionset",
            name="bytes",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="questionset",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="questionset",
            name="deleted_by",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="questionset",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at", None)), fields=("graph", "name"), name="question_set_name"
            ),
        ),
        migrations.RunSQL(MEASURE, migrations.RunSQL.noop),
    ]
