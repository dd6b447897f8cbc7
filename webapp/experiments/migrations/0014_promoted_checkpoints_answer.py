from __future__ import annotations

from typing import Any

from django.db import migrations, models


def keep_in_use(apps: Any, schema_editor: Any) -> None:
    """Mark the checkpoints that answer now as the first that people trained: they go on answering."""
    rows = apps.get_model("experiments", "Checkpoint").objects
    trained = rows.filter(self_trained=False, of_study=False, foreign=False, deleted_at=None)
    of_one = ("graph_id", "snapshot_id", "encoder", "method")
    first = trained.order_by(*of_one, "created_at", "id").distinct(*of_one)
    rows.filter(pk__in=list(first.values_list("pk", flat=True))).update(adopted=True)


class Migration(migrations.Migration):
    """A checkpoint answers once it is promoted, the first as well; what was compared is kept with it."""

    dependencies = [("experiments", "0013_report_judgements")]

    operations = [
        migrations.AddField("checkpoint", "adopted", models.BooleanField(default=False)),
        migrations.AddField("checkpoint", "comparison", models.JSONField(null=True)),
        migrations.RunPython(keep_in_use, migrations.RunPython.noop),
    ]
