"""New graphs are private; those that are there stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("graphs", "0007_version_trash")]

    operations = [
        migrations.AlterField(
            model_name="graph",
            name="visibility",
            field=models.CharField(
                choices=[("private", "Private"), ("group", "Group"), ("public", "Public")],
                default="private",
                max_length=16,
            ),
        ),
    ]
