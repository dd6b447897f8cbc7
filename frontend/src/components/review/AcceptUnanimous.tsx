// Everything that all analysts of a question say alike, accepted at once; and back again.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reviewKeys, type Queue } from "@/api/review";
import { acceptUnanimous, undoAcceptance } from "@/api/reviewDeciding";
import { queueStatisticsQuery } from "@/api/reviewFigures";
import { Button } from "@/components/kit/controls";
import { useAct } from "@/components/kit/useAct";
import { count } from "@/view/format";
import { toast } from "@/store/toasts";

/** Long enough to think again. */
const UNDO_MS = 20_000;

export function AcceptUnanimous({ queue }: { queue: Queue }) {
  const client = useQueryClient();
  const { data } = useQuery(queueStatisticsQuery(queue.id));
  // Those that not all analysts judged yet are counted among the unanimous, and are not accepted.
  const complete = data ? data.progress.done + data.progress.broken : 0;
  const some = data !== undefined && complete > data.settled && data.unanimous > data.settled;
  const fresh = () => client.invalidateQueries({ queryKey: reviewKeys.queues });
  const back = useAct((id: string) => undoAcceptance(queue.id, id), {
    failed: true,
    done: ({ undone }) => {
      toast(`${count(undone, "question")} as before.`);
      void fresh();
    },
  });
  const accept = useAct((id: string) => acceptUnanimous(queue.id, id), {
    failed: true,
    done: ({ accepted }, id) => {
      if (accepted === 0) {
        toast("Nothing that all analysts judged alike was left to accept.");
        return;
      }
      toast(`${count(accepted, "question")} accepted as all analysts say.`, {
        ms: UNDO_MS,
        act: {
          label: "Undo",
          run: () => back.mutate(id),
        },
      });
      void fresh();
    },
  });
  if (!some) return null;
  return (
    <p className="accept">
      <Button
        size="small"
        icon="check"
        isDisabled={accept.isPending}
        onPress={() => accept.mutate(crypto.randomUUID())}
      >
        Accept all unanimous
      </Button>
    </p>
  );
}
