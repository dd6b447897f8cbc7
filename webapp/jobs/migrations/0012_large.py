from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0011_revision")]

    operations = [
        migrations.AddField(model_name="job", name="is_large", field=models.BooleanField(default=False)),
    ]
