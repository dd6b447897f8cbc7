import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("answers", "0009_programs"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="follows",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="followed_by",
                to="answers.run",
            ),
        ),
        migrations.AddField(model_name="run", name="context", field=models.JSONField(null=True)),
        migrations.AddField(model_name="run", name="thread", field=models.UUIDField(db_index=True, null=True)),
    ]
