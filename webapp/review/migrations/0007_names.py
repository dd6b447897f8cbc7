"""Models by names that no class of the engine has; the tables keep theirs."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("review", "0006_names_of_annotations")]

    operations = [
        migrations.AlterModelTable("candidate", "review_candidate"),
        migrations.RenameModel("Candidate", "CandidatePath"),
    ]
