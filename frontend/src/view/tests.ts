// Tests of a graph in words: how a round went, what a test expects, and what a file of tests holds.
import type { NewTest, TestResult, TestRound } from "@/api/tests";
import { count } from "./format";

export type Outcome = TestResult["outcome"];

export const OUTCOMES: Record<Outcome, { label: string; tone: "good" | "bad" | "warn" }> = {
  passed: { label: "passed", tone: "good" },
  failed: { label: "failed", tone: "bad" },
  error: { label: "could not be asked", tone: "warn" },
};

/** "2 violations of its shapes", or "" where it has none. */
export const violationsText = ({ violations }: Pick<TestRound, "violations">): string =>
  violations ? `${count(violations, "violation")} of its shapes` : "";

/** "11 of 12 passed, 1 failed, 2 answers changed". */
export function figuresText({ figures, tests }: Pick<TestRound, "figures" | "tests">): string {
  const { passed, failed, error, changed } = figures;
  return [
    `${passed} of ${tests} passed`,
    failed && `${failed} failed`,
    error && `${error} could not be asked`,
    changed && `${count(changed, "answer")} changed`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What was tested: "version 3", or "checkpoint ab12cd34". */
export function testedText({ cause, version, fingerprint }: TestRound): string {
  if (cause !== "promotion") return `version ${version}`;
  return fingerprint ? `checkpoint ${fingerprint.slice(0, 8)}` : "a checkpoint that was deleted";
}

/** What became of it, as a sentence; "" where nothing was to be decided yet. */
export function decisionText(round: TestRound): string {
  const what = testedText(round);
  const name = what.charAt(0).toUpperCase() + what.slice(1);
  switch (round.decision) {
    case "current":
      return round.cause === "promotion" ? `${name} is in use.` : `${name} became current.`;
    case "held":
      return `${name} is held back.`;
    case "accepted":
      return `${name} was held back, and made current anyway.`;
    default:
      return "";
  }
}

/** Why something is held back: its tests, its shapes, or both. */
export function reasonText(round: TestRound): string {
  const bad = round.figures.failed + round.figures.error;
  const reasons = [
    round.violations > 0 &&
      `It has ${violationsText(round)}; the report of its import lists them.${bad ? "" : " Its tests pass."}`,
    round.hold && (bad > 0 || !round.finished_at) && "Its tests must pass first.",
  ].filter(Boolean);
  return reasons.join(" ") || "What was tested no longer exists.";
}

/** Lines as they were typed, without empty ones; each once. */
export function linesOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
    ),
  ];
}

/** The tests in a file: what was downloaded, a list of them, or lines of a question set. Null where there are none. */
export function testsOfFile(text: string): NewTest[] | null {
  const read = (part: string): unknown => {
    try {
      return JSON.parse(part) as unknown;
    } catch {
      return undefined;
    }
  };
  const whole = read(text);
  const held = isRecord(whole) && Array.isArray(whole.tests) ? whole.tests : whole;
  const list = Array.isArray(held) ? (held as unknown[]) : linesOf(text).map(read);
  const found = list.map(testOf);
  return found.length > 0 && found.every((one) => one !== null) ? found : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function testOf(value: unknown): NewTest | null {
  if (!isRecord(value) || typeof value.question !== "string") return null;
  const {
    question,
    expected = value.answers ?? [],
    entities = value.topic_entities ?? value.topics ?? [],
  } = value;
  if (!Array.isArray(expected) || !Array.isArray(entities)) return null;
  const { method, options, program, budget, seed } = value as Partial<NewTest>;
  return {
    question,
    expected: expected.map(String),
    entities: entities.map(String),
    ...(method && { method }),
    ...(options && { options }),
    ...(program && { program }),
    ...(budget && { budget }),
    ...(seed && { seed }),
  };
}

/** Why an answer is another: the facts, else the checkpoint, else the method itself. */
export function whyText({ added, removed, before, fingerprint, method }: TestResult): string {
  if (added.length || removed.length) return "";
  if (before?.method !== method) return "No fact behind it changed: another method answered.";
  if (before.fingerprint !== fingerprint)
    return fingerprint
      ? "No fact behind it changed: another checkpoint answered."
      : "No fact behind it changed: the method is not trained on this version yet.";
  return "No fact behind it changed that is kept: other facts changed what the method prefers.";
}
