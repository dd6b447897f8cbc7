// "Tell me when this changes": the question of a run, watched from now on.
import { useNavigate } from "react-router";
import { watch } from "@/api/tests";
import { keys } from "@/api/queries";
import type { Run } from "@/api/types";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";

/** Watches what a run asked; undefined while that cannot be. */
export function useWatch(run: Run | undefined): (() => void) | undefined {
  const navigate = useNavigate();
  const start = useAct(() => watch(run?.id ?? ""), {
    changes: [keys.graphs],
    failed: "It could not be watched.",
    done: ({ id }) => {
      toast("You will be told here, beside your name, when a new version answers differently.", {
        ms: 10_000,
        act: { label: "See it through time", run: () => void navigate(`/tests/${id}`) },
      });
    },
  });
  if (run?.state !== "done" || !run.snapshot || start.isPending) return undefined;
  return () => start.mutate();
}
