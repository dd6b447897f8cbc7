// Deleting a queue, and those that were deleted and can still come back.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  deleteQueue,
  deletedQueuesQuery,
  queuesQuery,
  restoreQueue,
  reviewKeys,
  type DeletedQueue,
  type Queue,
} from "@/api/review";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { Button } from "@/components/kit/controls";
import { Ago } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import type { Id } from "@/api/types";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";
import { count, integer, relativeTime } from "@/view/format";
import { toast } from "@/store/toasts";

function useRestore() {
  return useAct((id: Id) => restoreQueue(id), {
    changes: [reviewKeys.queues],
    failed: true,
    done: ({ name }) => toast(`${name} was restored.`),
  });
}

/** Asks for the name of a queue and deletes it; none is asked for while `queue` is null. */
export function DeleteQueue({ queue, onClose }: { queue: Queue | null; onClose: () => void }) {
  const client = useQueryClient();
  const restore = useRestore();
  const remove = useAct(({ id, typed }: { id: Id; typed: string }) => deleteQueue(id, typed), {
    done: async (_, { id, typed }) => {
      toast(`${typed} was deleted.`, {
        ms: 10_000,
        act: {
          label: "Undo",
          run: () => restore.mutate(id),
        },
      });
      onClose();
      // The lists only: what else is known of the queue is not there any more.
      await Promise.all([
        client.invalidateQueries(queuesQuery),
        client.invalidateQueries(deletedQueuesQuery),
      ]);
    },
  });
  const judged = queue ? queue.items - queue.progress.open : 0;
  return (
    <ConfirmDelete
      name={queue?.name ?? ""}
      typed="queue"
      act="Delete the queue"
      isOpen={queue !== null}
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={(typed) => {
        if (queue) remove.mutate({ id: queue.id, typed });
      }}
      onClose={onClose}
    >
      {count(queue?.items ?? 0, "question")} go, {integer(judged)} of them judged, with every verdict.
      Checkpoints that learned from it stay. It can be restored from the list of deleted queues for some days.
    </ConfirmDelete>
  );
}

function Row({ row, mayWrite }: { row: DeletedQueue; mayWrite: boolean }) {
  const restore = useRestore();
  return (
    <tr>
      <td>
        <bdi>{row.name}</bdi>{" "}
        <span className="small muted">
          <bdi>{row.graph_name}</bdi>
        </span>
      </td>
      <td className="num hide-narrow">{integer(row.items)}</td>
      <td className="muted nowrap">
        <Ago iso={row.deleted_at} />
        {row.deleted_by && ` by ${row.deleted_by}`}
      </td>
      <td className="muted nowrap hide-narrow">goes {relativeTime(row.kept_until)}</td>
      <td className="acts">
        {mayWrite && (
          <Button
            size="small"
            aria-label={`Restore ${row.name}`}
            isDisabled={restore.isPending}
            onPress={() => restore.mutate(row.id)}
          >
            Restore
          </Button>
        )}
      </td>
    </tr>
  );
}

export function DeletedQueues({ mayWrite }: { mayWrite: boolean }) {
  const { data } = useQuery(deletedQueuesQuery);
  if (!data?.results.length) return null;
  return (
    <Card
      title="Deleted"
      beside={<span className="muted small">can still be restored, with every verdict</span>}
    >
      <ResourceTable
        heads={[["Queue"], ["Questions", "num hide-narrow"], ["Deleted"], ["For good", "hide-narrow"]]}
        acts
      >
        {data.results.map((row) => (
          <Row key={row.id} row={row} mayWrite={mayWrite} />
        ))}
      </ResourceTable>
    </Card>
  );
}
