from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("graphs", "0010_edits")]

    operations = [
        migrations.AddField(model_name="graphversion", name="languages", field=models.JSONField(default=list)),
    ]
