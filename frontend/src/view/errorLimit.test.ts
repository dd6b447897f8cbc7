import { expect, it } from "vitest";
import { FIVE, LIMIT } from "@/test/errorLimit";
import { calibrationText, calibrationWarning, heldText, limitOptions } from "./errorLimit";

const NONE = { ...FIVE, threshold: null, answered: 0, wrong: 0 };
const SEVEN = { ...LIMIT, at_most_wrong: 7, guarantee: { ...FIVE, at_most_wrong: 7 } };

it("offers limits with what each would answer, the one that is set among them", () => {
  expect(limitOptions(SEVEN).map(({ id, detail }) => [id, detail])).toEqual([
    ["none", "Every question is answered, with its confidence"],
    ["1", ""],
    ["2", ""],
    ["5", "answers 62% of the test questions"],
    ["7", "answers 62% of the test questions"],
    ["10", ""],
    ["20", ""],
  ]);
  const few = {
    ...SEVEN,
    guarantee: { ...NONE, tested: 3, too_few: true },
    offered: [{ ...NONE, at_most_wrong: 1 }],
  };
  expect(limitOptions(few).map(({ detail }) => detail)).toContain("too few questions to verify it");
  expect(limitOptions(few).map(({ detail }) => detail)).toContain("would answer nothing");
});

it("says on what it was calibrated, and warns of what that lacks", () => {
  expect(calibrationText(FIVE)).toBe(
    "Calibrated on 1,000 questions: 800 written from the graph's schema, 200 whose answers people reviewed. Answers with a confidence of at least 0.80 are given: 310 of 500 test questions, 4 of them wrong.",
  );
  expect(calibrationWarning(FIVE)).toBeNull();
  expect(calibrationWarning({ ...FIVE, reviewed: 3 })).toMatch(/^Few of these questions come from people/);
  expect(calibrationWarning(NONE)).toMatch(/^No confidence threshold keeps this limit/);
  expect(calibrationWarning({ ...NONE, tested: 20, too_few: true })).toMatch(
    /^20 test questions are too few/,
  );
});

it("says whether a report kept it", () => {
  const measured = {
    n: 40,
    answered: 20,
    wrong: 1,
    share: 0.05,
    low: 0.001,
    high: 0.249,
    held: "kept" as const,
  };
  expect(heldText({ ...FIVE, measured })).toBe(
    "The limit was kept: 20 of 40 questions were answered within it, 1 of them wrongly (5%; 95% interval 0.1% to 24.9%).",
  );
  const silent = { ...measured, answered: 0, wrong: 0, share: null, held: "nothing answered" as const };
  expect(heldText({ ...FIVE, measured: silent })).toMatch(/^None of the 40 questions was answered/);
  expect(heldText({ ...NONE, measured: silent })).toMatch(
    /^No confidence threshold is known to keep at most 5/,
  );
});
