from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("answers", "0016_diagnoses"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="retrieval",
            field=models.BooleanField(default=False),
        ),
    ]
