from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("experiments", "0011_foreign_checkpoints"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="answers",
            field=models.CharField(choices=[("all", "All"), ("in-graph", "In Graph")], default="all", max_length=16),
        ),
    ]
