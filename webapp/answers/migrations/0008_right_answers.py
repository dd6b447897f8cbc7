from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("answers", "0007_turns"),
    ]

    operations = [
        migrations.AddField(
            model_name="flag",
            name="right_answers",
            field=models.JSONField(default=list),
        ),
    ]
