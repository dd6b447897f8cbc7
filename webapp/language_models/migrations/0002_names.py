"""Models by names that no class of the engine has; the tables keep theirs."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("language_models", "0001_initial")]

    operations = [
        migrations.AlterModelTable("limits", "language_models_limits"),
        migrations.RenameModel("Limits", "SpendingLimits"),
        migrations.AlterModelTable("change", "language_models_change"),
        migrations.RenameModel("Change", "ProviderChange"),
        migrations.RenameField("provider", "sealed_key", "encrypted_key"),
    ]
