from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    """Whether a walk may come back to its topic follows from each question's answers, not from the queue."""

    dependencies = [("review", "0008_programs")]

    operations = [migrations.RemoveField("queue", "simple")]
