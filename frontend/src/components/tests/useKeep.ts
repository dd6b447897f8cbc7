// "Keep as a test": the answer of a run, pinned to its graph.
import { useNavigate } from "react-router";
import { keepTests } from "@/api/tests";
import { keys } from "@/api/queries";
import { useManagesGraph } from "@/api/rights";
import type { Run } from "@/api/types";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";

/** Keeps what a run answered; undefined for who may not, and for graphs without versions. */
export function useKeep(run: Run | undefined): (() => void) | undefined {
  const navigate = useNavigate();
  const managesGraph = useManagesGraph();
  const keep = useAct(() => keepTests(run?.graph ?? 0, { run: run?.id ?? "" }), {
    changes: [keys.graphs],
    failed: "It could not be kept.",
    done: () => {
      toast("Kept as a test: it is asked of every new version of the graph.", {
        ms: 10_000,
        act: { label: "Open the tests", run: () => void navigate(`/graphs/${run?.graph ?? ""}/tests`) },
      });
    },
  });
  if (run?.state !== "done" || !run.snapshot || keep.isPending || !managesGraph(run.graph)) return undefined;
  return () => keep.mutate();
}
