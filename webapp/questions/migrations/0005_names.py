"""Models by names that no class of the engine has; the tables keep theirs."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("questions", "0004_trash")]

    operations = [
        migrations.AlterModelTable("question", "questions_question"),
        migrations.RenameModel("Question", "QuestionRow"),
    ]
