import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("answers", "0008_right_answers"),
    ]

    operations = [
        migrations.AddField(model_name="run", name="program", field=models.JSONField(null=True)),
        migrations.AddField(model_name="run", name="program_before", field=models.JSONField(null=True)),
        migrations.AddField(
            model_name="run",
            name="corrects",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="corrected_by",
                to="answers.run",
            ),
        ),
    ]
