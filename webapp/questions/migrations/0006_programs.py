from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("questions", "0005_names"),
    ]

    operations = [
        migrations.AddField(model_name="questionrow", name="program", field=models.JSONField(null=True)),
        migrations.AddField(model_name="questionrow", name="operators", field=models.JSONField(default=list)),
        migrations.AddField(model_name="questionrow", name="also", field=models.JSONField(default=list)),
    ]
