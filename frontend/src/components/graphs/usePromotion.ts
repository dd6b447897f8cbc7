// Promoting a checkpoint, and going back to what was used before it.
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { keys, promoteCheckpoint, rollBack } from "@/api/queries";
import { reviewKeys } from "@/api/review";
import type { Checkpoint, Id } from "@/api/types";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";

/** Which checkpoint a method uses: chosen, and taken back. */
export function usePromotion(graph: Id) {
  const client = useQueryClient();
  // The way back that is still offered; there is none once it was taken.
  const offered = useRef<() => void>(undefined);
  const fresh = () => {
    for (const queryKey of [keys.checkpoints, keys.graphs, reviewKeys.queues])
      void client.invalidateQueries({ queryKey });
  };
  const back = useAct((method: string) => rollBack(graph, method), {
    failed: true,
    done: (used, method) => {
      offered.current?.();
      toast(`${method} ${used ? `uses ${used.fingerprint.slice(0, 10)}` : "answers untrained"} again.`);
      fresh();
    },
  });
  const promote = useAct((checkpoint: Checkpoint) => promoteCheckpoint(checkpoint.id), {
    failed: true,
    done: ({ method, fingerprint, in_use }) => {
      if (!in_use) {
        toast(
          `The tests of the graph are asked first. ${fingerprint.slice(0, 10)} is used when they are done.`,
        );
        fresh();
        return;
      }
      offered.current = toast(`${method} uses ${fingerprint.slice(0, 10)} from now on.`, {
        ms: 10_000,
        act: {
          label: "Roll back",
          run: () => back.mutate(method),
        },
      });
      fresh();
    },
  });
  return { promote, back };
}
