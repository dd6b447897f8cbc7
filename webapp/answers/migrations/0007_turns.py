from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("answers", "0006_flags"),
    ]

    operations = [
        migrations.AddField("run", "claimed_at", models.DateTimeField(null=True)),
        migrations.AddIndex("run", models.Index(fields=["user", "claimed_at"], name="answers_run_user_id_dc6a5a_idx")),
        migrations.RunSQL(
            "UPDATE answers_run SET claimed_at = started_at WHERE state = 'running'", migrations.RunSQL.noop
        ),
    ]
