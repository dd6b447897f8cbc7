"""Let PostgreSQL delete a run's events with it, also those that a worker appends meanwhile."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

NAME = "answers_runevent_run_id_fk"

CASCADE = f"""
DO $$
DECLARE old text;
BEGIN
    SELECT conname INTO STRICT old FROM pg_constraint
    WHERE conrelid = 'answers_runevent'::regclass AND contype = 'f';
    EXECUTE format('ALTER TABLE answers_runevent DROP CONSTRAINT %I', old);
END $$;
ALTER TABLE answers_runevent ADD CONSTRAINT {NAME}
    FOREIGN KEY (run_id) REFERENCES answers_run (id) ON DELETE CASCADE;
"""

CHECK = f"""
ALTER TABLE answers_runevent DROP CONSTRAINT {NAME};
ALTER TABLE answers_runevent ADD CONSTRAINT {NAME}
    FOREIGN KEY (run_id) REFERENCES answers_run (id) DEFERRABLE INITIALLY DEFERRED;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("answers", "0001_initial")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="runevent",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.DO_NOTHING, related_name="events", to="answers.run"
            ),
        ),
        # After the insert's own check in the same transaction: constraints cannot change under deferred ones.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED"),
        migrations.RunSQL(CASCADE, CHECK),
    ]
