// A limit on wrong answers in words.
import type { ErrorLimit, Guarantee, VerifiedGuarantee } from "@/api/errorLimit";
import { integer, percent } from "./format";

export interface LimitOption {
  id: string;
  label: string;
  detail: string;
}

const PLAIN: readonly number[] = [1, 2, 5, 10, 20];
export const NO_LIMIT = "none";

/** How much of the questions that tested it a limit leaves answered. */
function effectOf({ threshold, answered, tested, too_few }: Guarantee): string {
  if (threshold !== null) return `answers ${percent(answered / tested)} of the test questions`;
  return too_few ? "too few questions to verify it" : "would answer nothing";
}

/** The limits that can be chosen, each with what it would answer as far as that is known. */
export function limitOptions({ at_most_wrong, guarantee, offered }: ErrorLimit): LimitOption[] {
  const known = new Map(
    [...offered, ...(guarantee ? [guarantee] : [])].map((one) => [one.at_most_wrong, one]),
  );
  const numbers = new Set([...PLAIN, ...known.keys(), ...(at_most_wrong === null ? [] : [at_most_wrong])]);
  const limits = [...numbers].sort((a, b) => a - b);
  return [
    { id: NO_LIMIT, label: "No limit", detail: "Every question is answered, with its confidence" },
    ...limits.map((number) => {
      const of = known.get(number);
      return { id: String(number), label: `At most ${number} of 100 wrong`, detail: of ? effectOf(of) : "" };
    }),
  ];
}

/** What a calibration found, and on how many questions. */
export function calibrationText({ questions, reviewed, ...guarantee }: Guarantee): string {
  const on = `Calibrated on ${integer(questions)} questions: ${integer(questions - reviewed)} written from the graph's schema, ${integer(reviewed)} whose answers people reviewed.`;
  const { threshold, answered, wrong, tested } = guarantee;
  return threshold === null
    ? on
    : `${on} Answers with a confidence of at least ${threshold.toFixed(2)} are given: ${integer(answered)} of ${integer(tested)} test questions, ${integer(wrong)} of them wrong.`;
}

/** Why nothing is answered under a limit, or what its calibration lacks; null where all is well. */
export function calibrationWarning(guarantee: Guarantee): string | null {
  const { threshold, too_few, tested, needed, reviewed, questions } = guarantee;
  if (too_few)
    return `${integer(tested)} test questions are too few to verify this limit, which needs ${integer(needed)} right answers. Every answer is a best guess. Choose a higher limit, or review answers and keep tests.`;
  if (threshold === null)
    return "No confidence threshold keeps this limit on the test questions, so every answer is a best guess. Choose a higher limit, or train on questions of your own.";
  if (reviewed * 10 < questions)
    return "Few of these questions come from people, who may ask harder ones than those written from the schema. Review answers and keep tests, then calibrate again.";
  return null;
}

/** Whether a report kept the limit. */
export function heldText({ measured, at_most_wrong, threshold }: VerifiedGuarantee): string {
  const { n, answered, wrong, share, low, high, held } = measured;
  if (threshold === null)
    return `No confidence threshold is known to keep at most ${at_most_wrong} of 100 wrong.`;
  if (share === null) return `None of the ${integer(n)} questions was answered surely enough for the limit.`;
  const said = {
    kept: "The limit was kept",
    broken: "The limit was broken",
    unclear: "More answers were wrong than the limit allows, possibly by chance",
    "nothing answered": "Nothing was answered",
  }[held];
  return `${said}: ${integer(answered)} of ${integer(n)} questions were answered within it, ${integer(wrong)} of them wrongly (${percent(share)}; 95% interval ${percent(low)} to ${percent(high)}).`;
}
