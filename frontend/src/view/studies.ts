// A study as it is written down before it starts, and what is drawn of one that goes on.
import type { StudyBody, StudyCell, StudyDetail, StudyPlan, StudyRow, StudyVariant } from "@/api/studies";
import type { MethodDetail, Setting } from "@/api/types";
import { asText, complaint, typedValues, type Typed } from "./settingsForm";

/** A variant in the form: settings as text, those of training and of asking. */
export interface DraftVariant {
  /** Never changes, as the name may. */
  key: string;
  name: string;
  method: string;
  /** "" trains its own, `UNTRAINED` asks none, anything else is the name of the variant whose checkpoints are asked. */
  asks: string;
  strategy: string;
  prompt: string;
  /** "paper" for the form of the method's paper, "" for Clew's. */
  trainingForm: string;
  askingForm: string;
  config: Typed;
  options: Typed;
  budget: string;
  reasoner: string;
}

export interface Draft {
  name: string;
  preset: string;
  sets: readonly number[];
  /** By question set: the label set that variants without labels of their own learn from. */
  labels: Readonly<Record<number, number>>;
  /** Those that are trained on; all when empty. */
  train: readonly number[];
  cross: boolean;
  variants: readonly DraftVariant[];
  shares: string;
  seeds: string;
  split: string;
  budget: string;
  limit: string;
  topics: string;
  subgraphs: string;
  answers: string;
  reasoner: string;
  baseline: string;
  llm: string | null;
}

export const UNTRAINED = "\u0000untrained";
const FORM = "preset";

let made = 0;
const newKey = () => `v${(made += 1)}`;

export function newVariant(method: string, name = ""): DraftVariant {
  const empty = { asks: "", strategy: "", prompt: "", trainingForm: "", askingForm: "" };
  return { key: newKey(), name, method, ...empty, config: {}, options: {}, budget: "", reasoner: "" };
}

function typedOf(values: Readonly<Record<string, unknown>>): [form: string, typed: Typed] {
  const { [FORM]: form, ...rest } = values;
  return [asText(form), Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, asText(one)]))];
}

function draftVariant(one: StudyVariant): DraftVariant {
  const [trainingForm, config] = typedOf(one.config);
  const [askingForm, options] = typedOf(one.options);
  return {
    key: newKey(),
    name: one.name,
    method: one.method,
    asks: one.of ?? (one.trained ? "" : UNTRAINED),
    strategy: one.strategy ?? "",
    prompt: one.prompt ?? "",
    trainingForm,
    askingForm,
    config,
    options,
    budget: asText(one.budget),
    reasoner: one.reasoner ?? "",
  };
}

/** The plan of a preset, or of another study, as a draft; `known` is what of the draft before stays. */
export function draftOf(plan: StudyPlan, known: Pick<Draft, "name" | "preset" | "sets" | "cross">): Draft {
  return {
    ...known,
    labels: {},
    train: [],
    variants: plan.variants.map(draftVariant),
    shares: plan.fractions.map((share) => `${Number((share * 100).toPrecision(6))}%`).join(", "),
    seeds: plan.seeds.join(", "),
    split: plan.split,
    budget: asText(plan.budget),
    limit: asText(plan.limit),
    topics: plan.topics,
    subgraphs: plan.subgraphs,
    answers: plan.answers,
    reasoner: plan.reasoner,
    baseline: plan.baseline ?? "",
    llm: null,
  };
}

/** The draft with a variant changed. Who asks its checkpoints, and the baseline, follow its name. */
export function withVariant(draft: Draft, key: string, change: Partial<DraftVariant>): Draft {
  const before = draft.variants.find((one) => one.key === key)?.name.trim();
  const now = change.name === undefined ? before : change.name.trim();
  const follow = (name: string) => (before && now !== undefined && name === before ? now : name);
  return {
    ...draft,
    baseline: follow(draft.baseline),
    variants: draft.variants.map((one) =>
      one.key === key ? { ...one, ...change } : { ...one, asks: follow(one.asks) },
    ),
  };
}

const parts = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** "5%, 0.25, 100%" as shares above 0 and at most 1; null where one is none. */
export function sharesOf(text: string): number[] | null {
  const found = parts(text).map((one) =>
    one.endsWith("%") ? Number((Number(one.slice(0, -1)) / 100).toPrecision(9)) : Number(one),
  );
  return found.length > 0 && found.every((share) => share > 0 && share <= 1) ? found : null;
}

/** "0, 1, 2" or "0-4" as whole numbers; null where one is none. */
export function seedsOf(text: string): number[] | null {
  const found = parts(text).flatMap((one) => {
    const [, first, last] = /^(\d+)-(\d+)$/.exec(one) ?? [];
    if (first === undefined || last === undefined) return /^\d+$/.test(one) ? [Number(one)] : [Number.NaN];
    const count = Number(last) - Number(first) + 1;
    return count > 0 && count <= 50
      ? Array.from({ length: count }, (_, at) => Number(first) + at)
      : [Number.NaN];
  });
  return found.length > 0 && found.every((seed) => !Number.isNaN(seed)) ? [...new Set(found)] : null;
}

const whole = (text: string, least = 1) => /^\d+$/.test(text.trim()) && Number(text) >= least;
const emptyOrWhole = (text: string) => text.trim() === "" || whole(text);

/** Settings of a method, by its id. */
/** What is known of each method that a variant has. */
export type Known = Readonly<
  Record<
    string,
    Pick<MethodDetail, "settings" | "options"> &
      Partial<Pick<MethodDetail, "paper_settings" | "paper_options">>
  >
>;

export const trainsOwn = (variant: DraftVariant, trained: boolean) => trained && variant.asks === "";

/** What is wrong with a variant; null when nothing is. */
export function variantComplaint(
  one: DraftVariant,
  all: readonly DraftVariant[],
  known: Known,
): string | null {
  if (!one.name.trim()) return "Give it a name.";
  if (all.some((other) => other.key !== one.key && other.name.trim() === one.name.trim()))
    return "Another variant has this name.";
  if (!emptyOrWhole(one.budget)) return "The budget is a whole number, or empty.";
  const base = all.find((other) => other.name.trim() === one.asks);
  if (one.asks && one.asks !== UNTRAINED && (base?.method !== one.method || base.asks !== ""))
    return "It asks checkpoints of a variant that trains none of this method.";
  const settings = known[one.method];
  const wrong = (list: readonly Setting[], typed: Typed) =>
    list.find((setting) => complaint(setting, typed[setting.name] ?? ""));
  const bad = settings && (wrong(settings.settings, one.config) ?? wrong(settings.options, one.options));
  return bad ? `${bad.name}: not a value that it takes.` : null;
}

/** What is wrong with a draft as a whole; null when it can be sent. */
export function draftComplaint(draft: Draft, known: Known): string | null {
  if (!draft.name.trim()) return "Give the study a name.";
  if (draft.sets.length === 0) return "Choose a question set.";
  if (draft.variants.length === 0) return "Add a variant.";
  if (!sharesOf(draft.shares)) return "The shares are above 0% and at most 100%.";
  if (!seedsOf(draft.seeds)) return "The seeds are whole numbers.";
  if (!whole(draft.budget)) return "The budget is a whole number.";
  if (!emptyOrWhole(draft.limit)) return "At most how many questions is a whole number, or empty.";
  const wrong = draft.variants.find((one) => variantComplaint(one, draft.variants, known));
  return wrong
    ? `${wrong.name || "A variant"}: ${variantComplaint(wrong, draft.variants, known) ?? ""}`
    : null;
}

/** How many cells there are, and how many trainings behind them. */
export function sizeOf(draft: Draft, trained: (method: string) => boolean) {
  const sets = draft.train.length || draft.sets.length;
  const each = (sharesOf(draft.shares) ?? []).length * (seedsOf(draft.seeds) ?? []).length * sets;
  const own = draft.variants.filter((one) => trainsOwn(one, trained(one.method))).length;
  return {
    cells: each * draft.variants.length * (draft.cross ? draft.sets.length : 1),
    trainings: each * own,
  };
}

function sentVariant(one: DraftVariant, draft: Draft, known: Known): StudyBody["variants"][number] {
  const { settings = [], options = [] } = known[one.method] ?? {};
  const own = one.asks === "";
  const form = (name: string) => (name ? { [FORM]: name } : {});
  return {
    name: one.name.trim(),
    method: one.method,
    config: own ? { ...form(one.trainingForm), ...typedValues(settings, one.config) } : {},
    options: { ...form(one.askingForm), ...typedValues(options, one.options) },
    trained: one.asks !== UNTRAINED,
    ...(own && one.strategy && { strategy: one.strategy }),
    ...(own && one.strategy === "llm" && one.prompt && { prompt: one.prompt }),
    ...(one.asks && one.asks !== UNTRAINED && { of: one.asks }),
    ...(one.budget.trim() && { budget: Number(one.budget) }),
    ...(one.reasoner && one.reasoner !== draft.reasoner && { reasoner: one.reasoner }),
  };
}

export function bodyOf(draft: Draft, known: Known): StudyBody {
  return {
    name: draft.name.trim(),
    preset: draft.preset,
    sets: draft.sets.map((question_set) => {
      const labels = draft.labels[question_set];
      return labels === undefined ? { question_set } : { question_set, labels };
    }),
    train: [...draft.train],
    test: draft.cross ? [...draft.sets] : [],
    variants: draft.variants.map((one) => sentVariant(one, draft, known)),
    fractions: sharesOf(draft.shares) ?? [],
    seeds: seedsOf(draft.seeds) ?? [],
    split: draft.split,
    budget: Number(draft.budget),
    limit: draft.limit.trim() ? Number(draft.limit) : null,
    topics: draft.topics === "linked" ? "linked" : "given",
    subgraphs: draft.subgraphs === "whole" ? "whole" : "own",
    answers: draft.answers === "in-graph" ? "in-graph" : "all",
    reasoner: draft.reasoner,
    baseline: draft.variants.some((one) => one.name.trim() === draft.baseline) ? draft.baseline : null,
    ...(draft.llm !== null && { llm: Number(draft.llm) }),
  };
}

/** What of a study's rows is not the same everywhere: only that has a column. */
export function differing(rows: readonly Pick<StudyRow, "train" | "fraction" | "test">[]) {
  const many = (of: (row: Pick<StudyRow, "train" | "fraction" | "test">) => unknown) =>
    new Set(rows.map(of)).size > 1;
  return {
    train: many((row) => row.train),
    fraction: many((row) => row.fraction),
    test: many((row) => row.test),
  };
}

/** Metrics that some row has, of those that are asked for first, or all. */
export function metricsOf(rows: readonly StudyRow[], names: readonly string[]): string[] {
  return names.filter((name) => rows.some((row) => name in row.metrics));
}

export interface Point {
  x: number;
  y: number;
  /** Deviation over the seeds, or the interval over the questions where there is one seed. */
  low: number | null;
  high: number | null;
}

export interface Series {
  label: string;
  points: readonly Point[];
}

function pointOf(row: StudyRow, metric: string, x: number): Point | null {
  const found = row.metrics[metric];
  if (!found) return null;
  const [low, high] =
    found.sd === null
      ? (row.intervals[metric] ?? [null, null])
      : [found.mean - found.sd, found.mean + found.sd];
  return { x, y: found.mean, low, high };
}

function lines(
  rows: readonly StudyRow[],
  by: (row: StudyRow) => string,
  point: (row: StudyRow) => Point | null,
) {
  const found = new Map<string, Point[]>();
  for (const row of rows) {
    const one = point(row);
    if (one) found.set(by(row), [...(found.get(by(row)) ?? []), one]);
  }
  return [...found]
    .map(([label, points]) => ({ label, points: points.sort((a, b) => a.x - b.x) }))
    .filter(({ points }) => new Set(points.map((one) => one.x)).size > 1);
}

const within = (row: StudyRow, rows: readonly StudyRow[]) => {
  const many = differing(rows);
  return [many.train && row.train, many.test && `on ${row.test}`].filter(Boolean).join(" ");
};

/** A metric over the share of training questions: a line for each variant. */
export function efficiencyCurves(rows: readonly StudyRow[], metric: string): Series[] {
  const name = (row: StudyRow) => [row.variant, within(row, rows)].filter(Boolean).join(", ");
  return lines(rows, name, (row) => pointOf(row, metric, row.fraction));
}

/** A metric over the budget: a line for each checkpoint that is asked with several. */
export function budgetCurves(study: Pick<StudyDetail, "rows" | "plan">, metric: string): Series[] {
  const { plan, rows } = study;
  const variant = (row: StudyRow) => plan.variants.find((one) => one.name === row.variant);
  const many = differing(rows).fraction;
  const name = (row: StudyRow) => {
    const base = variant(row)?.of ?? row.variant;
    const share = many ? `${Number((row.fraction * 100).toPrecision(4))}%` : "";
    return [base, within(row, rows), share].filter(Boolean).join(", ");
  };
  return lines(rows, name, (row) => pointOf(row, metric, variant(row)?.budget ?? plan.budget));
}

/** What each epoch measured, over the seeds that came so far: a line for each variant, set and share that was trained. */
export function trainingCurves(cells: readonly StudyCell[], measure: string): Series[] {
  const found = new Map<string, Map<number, number[]>>();
  const seen = new Set<string>();
  const many = differing(cells);
  for (const { variant, train, fraction, seed, training } of cells) {
    const rows = (training?.curve ?? []).flatMap((row) =>
      row[measure] === undefined ? [] : [{ epoch: row.epoch ?? 0, y: row[measure] }],
    );
    // A variant that asks another one's checkpoints, and a training that is tested on several sets, come again.
    const key = JSON.stringify([train, fraction, seed, rows]);
    if (rows.length < 2 || seen.has(key)) continue;
    seen.add(key);
    const share = many.fraction && `${Number((fraction * 100).toPrecision(4))}%`;
    const label = [variant, many.train && train, share].filter(Boolean).join(", ");
    const line = found.get(label) ?? new Map<number, number[]>();
    for (const { epoch, y } of rows) line.set(epoch, [...(line.get(epoch) ?? []), y]);
    found.set(label, line);
  }
  return [...found].map(([label, line]) => ({
    label,
    points: [...line].sort(([one], [other]) => one - other).map(([x, values]) => ({ x, ...spread(values) })),
  }));
}

/** The mean of some values, and the sample deviation around it where there are several. */
function spread(values: readonly number[]): Omit<Point, "x"> {
  const y = values.reduce((sum, one) => sum + one, 0) / values.length;
  if (values.length < 2) return { y, low: null, high: null };
  const sd = Math.sqrt(values.reduce((sum, one) => sum + (one - y) ** 2, 0) / (values.length - 1));
  return { y, low: y - sd, high: y + sd };
}

/** What trainings measured beside the epoch: the loss last. */
export function measuresOf(cells: readonly StudyCell[]): string[] {
  const names = new Set(
    cells.flatMap((cell) => (cell.training?.curve ?? []).flatMap((row) => Object.keys(row))),
  );
  names.delete("epoch");
  return [...names].sort((a, b) => Number(a === "loss") - Number(b === "loss") || a.localeCompare(b));
}

/** The stages at which right answers are lost, and what each means. */
export const CAUSES: Record<string, string> = {
  linking: "The question was not asked from all of its topic entities",
  candidates: "The answers that are missing lie too far away, or the graph lacks them",
  retrieval: "An answer that is missing was in no retrieved fact",
  reasoning: "All right answers were retrieved, and others were given, or too many",
  failed: "The run failed",
};
