import { expect, it } from "vitest";
import type { TestResult, TestRound } from "@/api/tests";
import { decisionText, figuresText, linesOf, reasonText, testsOfFile, whyText } from "./tests";

const round = { cause: "version", version: 3, decision: "held", fingerprint: null } as unknown as TestRound;

it("says how a round went and what became of what was tested", () => {
  const figures = { passed: 10, failed: 1, error: 1, changed: 2 };
  expect(figuresText({ figures, tests: 12 })).toBe(
    "10 of 12 passed, 1 failed, 1 could not be asked, 2 answers changed",
  );
  expect(decisionText(round)).toBe("Version 3 is held back.");
  expect(decisionText({ ...round, cause: "promotion", fingerprint: "abcdef0123", decision: "current" })).toBe(
    "Checkpoint abcdef01 is in use.",
  );
  expect(decisionText({ ...round, decision: "" })).toBe("");
});

it("says whether tests or shapes hold a version back", () => {
  const figures = { passed: 2, failed: 0, error: 0, changed: 0 };
  const held = { ...round, figures, hold: false, violations: 2, finished_at: "2026-11-22T02:01:00Z" };
  const shapes = "It has 2 violations of its shapes; the report of its import lists them.";
  expect(reasonText(held)).toBe(`${shapes} Its tests pass.`);
  const failing = { ...held, hold: true, figures: { ...figures, failed: 1 } };
  expect(reasonText(failing)).toBe(`${shapes} Its tests must pass first.`);
  expect(reasonText({ ...failing, violations: 0 })).toBe("Its tests must pass first.");
  expect(reasonText({ ...held, violations: 0 })).toBe("What was tested no longer exists.");
});

it("takes tests from what was downloaded, from a list and from lines of a question set", () => {
  const one = { question: "q", expected: ["a"], entities: [] };
  expect(testsOfFile(JSON.stringify({ tests: [{ ...one, method: "", budget: 5 }] }))).toEqual([
    { ...one, budget: 5 },
  ]);
  expect(testsOfFile(JSON.stringify([one]))).toEqual([one]);
  const lines = '{"id": "1", "question": "q", "topic_entities": ["t"], "answers": [1]}\n\n';
  expect(testsOfFile(lines)).toEqual([{ question: "q", expected: ["1"], entities: ["t"] }]);
  const near = lines.replace("topic_entities", "topics");
  expect(testsOfFile(near)).toEqual([{ question: "q", expected: ["1"], entities: ["t"] }]);
});

it.each(["", "{}", "[]", '{"question": 1}', "no json", '[{"question": "q", "expected": "a"}]'])(
  "finds no tests in %j",
  (text) => {
    expect(testsOfFile(text)).toBeNull();
  },
);

it("takes each line once", () => {
  expect(linesOf(" a \n\nb\na")).toEqual(["a", "b"]);
});

it("says why an answer is another", () => {
  const before = { number: 1, answers: [], outcome: "passed", method: "m", fingerprint: "f" } as const;
  const now = { added: [], removed: [], before, method: "m", fingerprint: "f" } as unknown as TestResult;
  expect(whyText({ ...now, added: [["a", "b", "c"]] })).toBe("");
  expect(whyText({ ...now, method: "n" })).toMatch(/another method/);
  expect(whyText({ ...now, fingerprint: "g" })).toMatch(/another checkpoint/);
  expect(whyText({ ...now, fingerprint: "" })).toMatch(/not trained on this version/);
  expect(whyText(now)).toMatch(/other facts/);
});
