// What a language model may be asked of a report's answers, and what it said, as a person reads it.
import type { Judged, Judgement, ReportQuestion } from "@/api/reportTypes";
import { integer, score } from "./format";

export const JUDGEMENTS: readonly { id: Judgement; label: string; detail: string }[] = [
  { id: "judge", label: "Judge", detail: "Is what was answered right? (INSES, Table 13)" },
  {
    id: "verify",
    label: "Verified answers",
    detail: "Which answers mean which right ones; Hit and F1 by that (RAPL, App. H)",
  },
  {
    id: "faithfulness",
    label: "Faithfulness",
    detail: "Do right answers rest on what was read, or on memory? (RAPL, Figure 3a)",
  },
  {
    id: "sufficiency",
    label: "Sufficient evidence",
    detail:
      "Does what was read state the right answers, or a fact that is asked for? (MINE; INSES, Table 14)",
  },
];

export const FOREIGN: readonly { id: "zero-shot" | "ask"; label: string; detail: string }[] = [
  {
    id: "zero-shot",
    label: "Only where it knows the relations",
    detail: "Else relations are compared by their words, as in asking",
  },
  {
    id: "ask",
    label: "All the same",
    detail: "As papers do from set to set, whatever relations the graph has",
  },
];

export interface JudgedRow {
  name: string;
  title: string;
  value: string;
  /** Beside it: what it is to be read against. */
  note: string;
}

const shown = (value: number | null | undefined) => (value == null ? "–" : score(value));

const silent = (unsaid: number | null) =>
  unsaid ? `; ${integer(unsaid)} ${unsaid === 1 ? "reply does" : "replies do"} not say` : "";

/** The figures of what was asked for, or why there are none. */
export function judgedRows({ judge, verify, faithfulness, sufficiency }: Judged): JudgedRow[] {
  const rows: JudgedRow[] = [];
  const nothing = (name: string, why: string) => rows.push({ name, title: "", value: "–", note: why });
  if (judge?.why) nothing("Judge", judge.why);
  else if (judge) {
    rows.push({
      name: "Right, by the judge",
      title: "Share of questions whose answer the language model takes for the right one",
      value: shown(judge.llm_judge),
      note: `of ${integer(judge.n)}; by words: exact match ${shown(judge.exact_match)}, token F1 ${shown(judge.token_f1)}${silent(judge.unsaid)}`,
    });
  }
  if (verify?.why) nothing("Verified answers", verify.why);
  else if (verify) {
    const of = `of ${integer(verify.n)}, ${integer(verify.asked ?? 0)} asked${silent(verify.unsaid)}`;
    const title = "Where the language model says which answers mean which right ones";
    rows.push(
      {
        ...{ name: "Hit, verified", title, value: shown(verify.hit) },
        note: `${shown(verify.by_names?.hit)} by names; ${of}`,
      },
      {
        ...{ name: "Macro-F1, verified", title, value: shown(verify.macro_f1) },
        note: `${shown(verify.by_names?.macro_f1)} by names; ${of}`,
      },
    );
  }
  if (faithfulness?.why) nothing("Faithfulness", faithfulness.why);
  else if (faithfulness) {
    rows.push({
      name: "Rests on what was read",
      title: "Share of right answers that the language model gives from what was read, as it says itself",
      value: shown(faithfulness.hallucination_score),
      note: `of ${integer(faithfulness.n)} right answers: ${integer(faithfulness.used ?? 0)} from what was read, ${integer(faithfulness.not_used ?? 0)} not${silent(faithfulness.unsaid)}`,
    });
  }
  if (sufficiency?.why) nothing("Sufficient evidence", sufficiency.why);
  else if (sufficiency) {
    rows.push({
      name: "States what is right",
      title: "Share of questions of which what was read states the right answers, by the language model",
      value: shown(sufficiency.sufficient),
      note: `of ${integer(sufficiency.n)}, ${integer(sufficiency.asked ?? 0)} asked${silent(sufficiency.unsaid)}`,
    });
  }
  return rows;
}

/** What was said of one question's answers: text and tone of its badges. */
export function judgedMarks(row: ReportQuestion): [string, string][] {
  const { right, faithful, sufficient } = row.judged ?? {};
  const marks: [string, string][] = [];
  if (right != null) marks.push(right ? ["judged right", "good"] : ["judged wrong", "bad"]);
  if (faithful != null)
    marks.push(faithful ? ["from what was read", "good"] : ["not from what was read", "warn"]);
  if (sufficient != null)
    marks.push(sufficient ? ["evidence suffices", "good"] : ["evidence does not suffice", "warn"]);
  return marks;
}
