from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("graphs", "0001_initial")]

    operations = [
        migrations.AddField("snapshot", "passages", models.BigIntegerField(default=0)),
        migrations.AddField("snapshot", "attributes", models.BigIntegerField(default=0)),
    ]
