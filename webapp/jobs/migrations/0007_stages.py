from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0006_log")]

    operations = [
        migrations.AddField("job", "stages", models.JSONField(default=list)),
        migrations.AddField("job", "overall", models.FloatField(default=0.0)),
    ]
