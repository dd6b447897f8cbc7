"""Models by names that no class of the engine has; the tables keep theirs."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("graphs", "0008_private_at_first"),
        # These name the models as they were.
        ("experiments", "0008_trash"),
        ("review", "0006_names_of_annotations"),
    ]

    operations = [
        migrations.AlterModelTable("snapshot", "graphs_snapshot"),
        migrations.RenameModel("Snapshot", "GraphVersion"),
        migrations.AlterModelTable("problem", "graphs_problem"),
        migrations.RenameModel("Problem", "ImportProblem"),
        migrations.AlterModelTable("endpoint", "graphs_endpoint"),
        migrations.RenameModel("Endpoint", "GraphEndpoint"),
    ]
