from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("questions", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="question",
            name="passages",
            field=models.JSONField(default=list),
        ),
    ]
