// What points at a version or a graph, in words.
import type { UsedBy } from "@/api/datasets";
import { count } from "@/view/format";

const USES: Record<string, string> = {
  checkpoints: "checkpoint",
  queues: "review queue",
  runs: "run",
  label_sets: "label set",
  trajectory_sets: "trajectory set",
  reports: "report",
  question_sets: "question set",
  versions: "version",
  tests: "test",
};

/** "3 runs, 1 checkpoint"; "" when there is nothing. */
export function usesOf(used: UsedBy): string {
  return Object.entries(used)
    .filter(([, many]) => many > 0)
    .map(([name, many]) => count(many, USES[name] ?? name))
    .join(", ");
}
