// Numbers, times and names as people read them.

const integers = new Intl.NumberFormat("en");
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function integer(value: number): string {
  return integers.format(value);
}

const MEASURE =
  /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?: (k?m[23]?|[cm]m|ha|mi|ft|k?g|t|lb|s|min|h|years|%))?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** A value of a graph as people write it: `505990 km2` is "505,990 km²", `2003-11-20` "20 November 2003". Names stay. */
export function valueText(text: string): string {
  if (DATE.test(text)) {
    const date = new Date(`${text}T00:00:00Z`);
    return Number.isNaN(date.getTime()) ? text : days.format(date);
  }
  const [, sign = "", digits = "", fraction = "", unit] = MEASURE.exec(text) ?? [];
  // Four digits alone may be a year.
  if (!digits || (digits.length < 5 && unit === undefined) || digits.length > 15) return text;
  const power = unit?.replace("2", "²").replace("3", "³");
  return `${sign}${integers.format(Number(digits.replaceAll(",", "")))}${fraction}${power === undefined ? "" : ` ${power}`}`;
}

/** `count(2, "fact")` is "2 facts". */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${integers.format(value)} ${value === 1 ? one : many}`;
}

const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

/** `ordinal(3)` is "3rd". */
export function ordinal(value: number): string {
  return `${integers.format(value)}${ENDINGS[ordinals.select(value)] ?? "th"}`;
}

export function milliseconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return duration(ms / 1000);
}

/** Seconds as "2 min 5 s" or "1 h 4 min". */
export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return s % 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s / 60} min`;
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

export function exactTime(iso: string): string {
  return exact.format(new Date(iso));
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** "3 minutes ago"; "just now" within 45 seconds. */
export function relativeTime(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Math.abs(seconds) < 45) return "just now";
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size * (unit === "minute" ? 0.75 : 0.98))
      return relative.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

/** A probability as people compare them: two digits, never rounded up to 1.00. */
export function score(value: number): string {
  return value < 1 && value > 0.995 ? "0.99" : value.toFixed(2);
}

/** Below this an answer, or the reading of a question, is a guess. */
export const GUESS = 0.3;

/** How sure something is, in a word: the number alone says little to people who see few of them. */
export function confidence(sure: number): "high" | "medium" | "guess" {
  return sure >= 0.7 ? "high" : sure >= GUESS ? "medium" : "guess";
}

/** A share as a percentage: "5%", "99.8%". Never rounded up to 100%. */
export function percent(share: number): string {
  const value = Math.round(share * 1000) / 10;
  return `${share < 1 && value >= 100 ? 99.9 : value}%`;
}

const METRICS: Record<string, string> = {
  hit: "Hit",
  hit_at_1: "Hit@1",
  macro_f1: "Macro-F1",
  micro_f1: "Micro-F1",
  exact_set: "Exact set",
  answer_recall: "Answer recall",
  path_recall: "Path recall",
  avg_triples: "Triples",
  passage_recall_at_2: "Passage recall@2",
  passage_recall_at_5: "Passage recall@5",
  exact_match: "Exact match",
  token_f1: "Token F1",
  program_exact: "Right program",
  program_answers: "Gold program's answers",
  coverage_at_5: "Coverage at 5% error",
  ece: "ECE",
  n: "n",
};

/** A metric's name as the papers write it. */
export function metricName(name: string): string {
  return METRICS[name] ?? name.replaceAll("_", " ");
}

/** Shares with three digits, so that they align; averages of counts with one; whole numbers as they are. */
export function metricValue(name: string, value: number | null): string {
  if (value === null) return "–";
  if (name === "n") return integer(value);
  if (name.startsWith("avg_")) return value.toFixed(1);
  return value < 0 || value > 1 ? String(Math.round(value * 1000) / 1000) : value.toFixed(3);
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${Math.round(value / 1000)} kB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
  return `${(value / 1_000_000_000).toFixed(2)} GB`;
}

export function elide(text: string, length: number): string {
  if (text.length <= length) return text;
  // By characters, so that none is cut in half.
  const letters = Array.from(text.slice(0, 2 * length));
  if (letters.length <= length && text.length <= 2 * length) return text;
  return `${letters
    .slice(0, length - 1)
    .join("")
    .trimEnd()}…`;
}

/** Money as a language model charges it: small sums keep two digits that count. The currency is that of its price. */
export function cost(value: number): string {
  if (value === 0) return "0";
  return value >= 0.1 ? value.toFixed(2) : String(Number(value.toPrecision(2)));
}
