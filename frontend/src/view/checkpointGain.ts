// What a checkpoint gains over what answered before it, in words: the same held-out questions asked of both.
import type { Checkpoint, CheckpointGain } from "@/api/types";
import { count, percent } from "./format";
import { signed } from "./reports";

export type Verdict = "better" | "worse" | "no clear difference";

/** Whether the 95% interval of the difference leaves no change out. */
export function verdictOf({ low, high }: CheckpointGain): Verdict {
  if (low !== null && low > 0) return "better";
  return high !== null && high < 0 ? "worse" : "no clear difference";
}

/** "73.9% → 50.9%"; null until both were asked. */
export function figuresOf({ score_before, score_after }: CheckpointGain): string | null {
  if (score_before === null || score_after === null) return null;
  return `${percent(score_before)} → ${percent(score_after)}`;
}

const points = (share: number) => signed(100 * share, 1);

/** "−29.0 to −17.0 points, n = 200": the 95% interval of the difference. */
export function intervalOf({ low, high, n }: CheckpointGain): string {
  return low === null || high === null ? "" : `${points(low)} to ${points(high)} points, n = ${n}`;
}

/** What answered before: another checkpoint, or none. */
function earlierOf({ method, checkpoint }: CheckpointGain, all: readonly Checkpoint[]): string {
  if (checkpoint === null) return "untrained answering";
  const known = all.find((one) => String(one.id) === String(checkpoint));
  return `${method} ${known ? known.fingerprint.slice(0, 8) : "of a deleted checkpoint"}`;
}

/** The difference with its interval, on which questions, and against what. */
export function detailOf(gain: CheckpointGain, all: readonly Checkpoint[]): string {
  const { score_before, score_after, low, high, p, n, split, question_set_name, gained, lost } = gain;
  if (score_before === null || score_after === null || low === null || high === null) return "";
  return (
    `${points(score_after - score_before)} points exactly right (95%: ${points(low)} to ${points(high)}, ` +
    `p ${p !== null && p < 0.001 ? "< 0.001" : `= ${p?.toFixed(3)}`}) against ${earlierOf(gain, all)}, on the same ` +
    `${count(n ?? 0, `${split} question`)}${split === "dev" ? " (by which training decided when to stop)" : ""} of ${question_set_name}: ${gained} gained, ${lost} lost.`
  );
}

/** What is to be considered before a checkpoint is promoted; null where it is clearly better. */
export function concernOf(checkpoint: Checkpoint, all: readonly Checkpoint[]): string | null {
  const gain = checkpoint.comparison;
  if (!gain) return "It has not been compared with what answers now.";
  if (gain.state !== "done") {
    return gain.state === "running"
      ? "It is still being compared with what answers now."
      : "Its comparison failed.";
  }
  const verdict = verdictOf(gain);
  if (verdict === "better") return null;
  const said =
    verdict === "worse" ? "It is worse than what answered before" : "No clear difference was measured";
  return `${said}: ${figuresOf(gain)}. ${detailOf(gain, all)}`;
}
