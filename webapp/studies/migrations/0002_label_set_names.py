from django.db import migrations, models


def name_label_sets(apps, schema_editor):
    for row in apps.get_model("studies", "StudySet").objects.exclude(label_set=None).select_related("label_set"):
        row.label_set_name = row.label_set.name or row.label_set.strategy
        row.save(update_fields=["label_set_name"])


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_studies"), ("experiments", "0011_foreign_checkpoints")]

    operations = [
        migrations.AddField(
            model_name="studyset",
            name="label_set_name",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.RunPython(name_label_sets, migrations.RunPython.noop),
    ]
