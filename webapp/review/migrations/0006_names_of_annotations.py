"""Models by the names of the field; the tables keep theirs."""

import django.db.models.deletion
from django.db import migrations, models


def to(model, **options):
    return models.ForeignKey(f"review.{model}", on_delete=django.db.models.deletion.CASCADE, **options)


class Migration(migrations.Migration):
    dependencies = [("review", "0005_right_answers")]

    operations = [
        migrations.AlterModelTable("standing", "review_standing"),
        migrations.RenameModel("Standing", "CurrentAnnotation"),
        migrations.AlterModelTable("tally", "review_tally"),
        migrations.RenameModel("Tally", "QueueCounter"),
        migrations.AlterField("currentannotation", "queue", to("queue", related_name="annotations", db_index=False)),
        migrations.AlterField("currentannotation", "item", to("item", related_name="annotations", db_index=False)),
        migrations.AlterField(
            "currentannotation",
            "submission",
            models.OneToOneField(
                "review.submission", on_delete=django.db.models.deletion.CASCADE, related_name="current"
            ),
        ),
    ]
