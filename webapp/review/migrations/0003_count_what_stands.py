"""What stood before is counted as it would have been while it came about."""

from collections import Counter

from django.db import migrations

from webapp.review.domain import counters
from webapp.review.domain import consensus

BATCH = 1000


def count(apps, schema_editor):
    """Say of each item whether its analysts agree, and write the tallies of each queue."""
    items = apps.get_model("review", "Item")
    for queue in apps.get_model("review", "Queue").objects.all():
        rows = list(items.objects.filter(queue=queue, submitted__gt=0).order_by("pk"))
        tally = Counter()
        for first in range(0, len(rows), BATCH):
            batch = rows[first : first + BATCH]
            held = consensus.load_annotations([row.pk for row in batch])
            for row in batch:
                row.accord = consensus.compute_accord(held.get(row.pk, []))
                tally.update(counters.count_item(row, held.get(row.pk, [])))
            items.objects.bulk_update(batch, ["accord"])
        counters.add(queue.pk, "", Counter(), tally)


class Migration(migrations.Migration):
    dependencies = [("review", "0002_events_paths_and_tallies")]

    operations = [migrations.RunPython(count, migrations.RunPython.noop)]
