from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("experiments", "0012_report_answers"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="foreign",
            field=models.CharField(
                choices=[("zero-shot", "Zero Shot"), ("ask", "Ask")], default="zero-shot", max_length=16
            ),
        ),
        migrations.AddField(
            model_name="report",
            name="judgements",
            field=models.JSONField(default=list),
        ),
    ]
