// "This is right": what a person confirms is a label too, once an analyst agrees.
import { useNavigate } from "react-router";
import { keys } from "@/api/queries";
import { reviewKeys } from "@/api/review";
import { flagRun } from "@/api/reviewDeciding";
import type { Run } from "@/api/types";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";

/** Calls the answers of a run right. */
export function useRight(run: Run | undefined) {
  const navigate = useNavigate();
  return useAct(() => flagRun(run?.id ?? "", { id: crypto.randomUUID(), kind: "answer-right" }), {
    changes: [keys.runs, reviewKeys.queues],
    failed: "It could not be kept.",
    done: ({ queue, item }) => {
      toast("Thank you. Its paths wait for analysts as right, in the queue “Flagged answers”.", {
        ms: 12_000,
        act: { label: "Open it", run: () => void navigate(`/review/${queue}?item=${item}`) },
      });
    },
  });
}
