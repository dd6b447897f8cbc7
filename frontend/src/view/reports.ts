// How reports are read: what comes first, what counts as better, which difference is more than chance.
import { asText } from "./settingsForm";
import type { Metrics, Outcome, Report, ReportComparison, ReportDetail } from "@/api/reportTypes";

/** In the table of reports, and first everywhere. */
export const KEY_METRICS = ["hit", "hit_at_1", "macro_f1", "exact_set"] as const;

const ORDER = [
  ...KEY_METRICS,
  "micro_f1",
  "answer_recall",
  "path_recall",
  "passage_recall_at_2",
  "passage_recall_at_5",
  "exact_match",
  "token_f1",
  "program_exact",
  "program_answers",
  "coverage_at_5",
  "ece",
  "avg_triples",
];

/** Whether more of a metric is better; of triples more is only more. */
export function betterBy(name: string, by: number): boolean | null {
  return name.startsWith("avg_") ? null : name === "ece" ? by < 0 : by > 0;
}

/** Of questions that bring a program: beside the first ones, where some do. */
const PROGRAM_METRICS = ["program_exact", "program_answers"] as const;

/** The metrics of a breakdown's table. */
export function groupMetrics(groups: Record<string, Metrics>): readonly string[] {
  const told = (name: string) => Object.values(groups).some((one) => one[name] != null);
  return [...KEY_METRICS, ...PROGRAM_METRICS.filter(told)];
}

/** Metrics of a report that apply, the ones people ask for first. */
export function metricNames(metrics: Record<string, number | null>): string[] {
  const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return Object.keys(metrics)
    .filter((name) => metrics[name] !== null && name !== "n")
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

export const OUTCOMES: Record<Outcome, string> = {
  right: "right",
  partial: "partly right",
  wrong: "wrong",
  no_answer: "no answer",
  failed: "failed",
};

export const OUTCOME_ABOUT: Record<Outcome, string> = {
  right: "The whole answer set and nothing else, or silence where there is no answer",
  partial: "At least one right answer, but not the set",
  wrong: "Answers, none of them right",
  no_answer: "No answer was given where there is one",
  failed: "The run failed",
};

export const OUTCOME_TONES: Record<Outcome, string> = {
  right: "good",
  partial: "warn",
  wrong: "bad",
  no_answer: "",
  failed: "bad",
};

/** Everything but right: what one looks at first. */
export const NOT_RIGHT = "partial,wrong,no_answer,failed";

const BREAKDOWNS: Record<string, string> = {
  hops: "Hops",
  topics: "Topic entities",
  answers: "Answers in the set",
  shift: "Distance from training: topic entities, relations, paths",
  shift_of_relations: "Distance from training: relations and paths alone",
};

/** Distance from the training set, nearest first. */
const SHIFTS = ["in-distribution", "compositional", "out-of-distribution", "unknown"];

export function breakdownName(by: string): string {
  const words = by.replaceAll("_", " ");
  return BREAKDOWNS[by] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Groups as they count: 1, 2, 10; distances from near to far. */
export function groupOrder(a: string, b: string): number {
  const [x, y] = [Number.parseFloat(a), Number.parseFloat(b)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return Number.isNaN(x) ? SHIFTS.indexOf(a) - SHIFTS.indexOf(b) : x - y;
}

/** The breakdowns that say something: those of which at least one group is known. */
export function toldBreakdowns(breakdowns: Record<string, Record<string, Metrics>>) {
  return Object.entries(breakdowns).filter(([, groups]) =>
    Object.keys(groups).some((group) => group !== "unknown"),
  );
}

/** What methods are called. */
export type Named = (method: string) => string;

/** "Relation paths 3f2a91c0" or "Refined paths, untrained". */
export function reportLabel(report: Report, named: Named): string {
  const method = named(report.method);
  return report.fingerprint ? `${method} ${report.fingerprint.slice(0, 8)}` : `${method}, untrained`;
}

/** The Ask page for a question of a report, asked in the same way. */
export function askAgain(report: Report, question: string): string {
  const params = new URLSearchParams({ graph: String(report.graph), q: question, method: report.method });
  if (report.checkpoint !== null) params.set("checkpoint", String(report.checkpoint));
  return `/?${params.toString()}`;
}

type Compared = ReportComparison["metrics"][number]["values"][number];

/** How `value` stands to `base`: the difference, and whether their 95% intervals keep apart. */
export function difference(base: Compared | undefined, value: Compared | undefined) {
  if (base?.value == null || value?.value == null) return null;
  const known = base.low !== null && base.high !== null && value.low !== null && value.high !== null;
  const apart = known && (value.low > base.high || value.high < base.low);
  return { by: value.value - base.value, apart, known };
}

/** "+0.042": a difference always carries its sign. */
export function signed(by: number, digits = 3): string {
  const text = Math.abs(by).toFixed(digits);
  return Number(text) === 0 ? `±${text}` : `${by > 0 ? "+" : "−"}${text}`;
}

/** What a person would check before believing a comparison: settings in which the reports differ. */
export function settingsThatDiffer(
  reports: readonly ReportDetail[],
  named: Named,
): { name: string; values: string[] }[] {
  const read: [string, (report: ReportDetail) => string | number][] = [
    ["method", (report) => named(report.method)],
    ["checkpoint", (report) => report.fingerprint?.slice(0, 10) ?? "untrained"],
    ["reasoner", (report) => report.reasoner],
    ["budget", (report) => report.budget],
    ["seed", (report) => report.seed],
    ["questions", (report) => report.n ?? 0],
    ["code version", (report) => asText(report.manifest.code_version)],
  ];
  return read
    .map(([name, of]) => ({ name, values: reports.map((report) => String(of(report))) }))
    .filter(({ values }) => new Set(values).size > 1);
}
