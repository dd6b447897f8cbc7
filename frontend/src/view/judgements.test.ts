import { expect, it } from "vitest";
import type { Judged, ReportQuestion } from "@/api/reportTypes";
import { judgedMarks, judgedRows } from "./judgements";

const none = { judge: null, verify: null, faithfulness: null, sufficiency: null };
const judged = {
  ...none,
  model: "Local",
  usage: { llm_calls: 4, tokens: 72, cost: null, kept: 0 },
} as Judged;

it("has a row for each figure that was asked for, with what it is to be read against", () => {
  const rows = judgedRows({
    ...judged,
    judge: { n: 4, why: null, unsaid: 1, llm_judge: 0.75, exact_match: 0.5, token_f1: 0.625 },
    verify: {
      ...{ n: 4, why: null, unsaid: 0, asked: 2, hit: 1, macro_f1: 0.875 },
      by_names: { hit: 0.5, macro_f1: 0.5 },
    },
    faithfulness: { n: 2, why: null, unsaid: 2, asked: 2, used: 0, not_used: 0, hallucination_score: null },
    sufficiency: { n: 4, why: null, unsaid: 1, asked: 3, sufficient: 0.25 },
  });
  expect(rows.map(({ name, value, note }) => [name, value, note])).toEqual([
    ["Right, by the judge", "0.75", "of 4; by words: exact match 0.50, token F1 0.63; 1 reply does not say"],
    ["Hit, verified", "1.00", "0.50 by names; of 4, 2 asked"],
    ["Macro-F1, verified", "0.88", "0.50 by names; of 4, 2 asked"],
    ["Rests on what was read", "–", "of 2 right answers: 0 from what was read, 0 not; 2 replies do not say"],
    ["States what is right", "0.25", "of 4, 3 asked; 1 reply does not say"],
  ]);
});

it("says why there was nothing to judge, and has no row for what was not asked", () => {
  const why = "No question of the report was answered rightly with paths.";
  const faithfulness = { n: 0, why } as Judged["faithfulness"];
  expect(judgedRows({ ...judged, faithfulness })).toEqual([
    { name: "Faithfulness", title: "", value: "–", note: why },
  ]);
  expect(judgedRows(judged)).toEqual([]);
});

it("marks a question by what was said of it, and by nothing where nothing was", () => {
  const row = (said: object | null) => ({ judged: said }) as ReportQuestion;
  expect(judgedMarks(row({ right: true, verified_f1: 1, faithful: false }))).toEqual([
    ["judged right", "good"],
    ["not from what was read", "warn"],
  ]);
  expect(judgedMarks(row({ right: false }))).toEqual([["judged wrong", "bad"]]);
  expect(judgedMarks(row({ sufficient: true }))).toEqual([["evidence suffices", "good"]]);
  expect(judgedMarks(row({ sufficient: false }))).toEqual([["evidence does not suffice", "warn"]]);
  expect(judgedMarks(row({ right: null }))).toEqual([]);
  expect(judgedMarks({} as ReportQuestion)).toEqual([]);
});
