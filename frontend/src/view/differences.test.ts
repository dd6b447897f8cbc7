import { expect, it } from "vitest";
import { differences, type ComparedRun } from "./differences";
import { emptyView, type Phase } from "./runView";

function run(name: string, answers: string[], facts: string[], ms = 100, phase: Phase = "done"): ComparedRun {
  const view = {
    ...emptyView(name),
    ...{ phase, tookMs: ms, chainFacts: [facts] },
    answers: answers.map((label) => ({
      ...{
        label,
        score: 0.9,
        entity: null,
        chains: [],
        verified: true,
        citations: [],
        guess: false,
        beside: [],
        display: "",
        owner: "",
      },
    })),
  };
  return { name, view };
}

it("says that methods agree", () => {
  expect(
    differences([run("Paths", ["A", "B"], ["f", "g"]), run("Explorer", ["B", "A"], ["g", "f"])]),
  ).toEqual(["Both methods give the same 2 answers.", "They rest on the same 2 facts."]);
  const none = ["x", "y", "z"].map((name) => run(name, [], []));
  expect(differences(none)).toEqual(["All 3 methods give no answer."]);
});

it("says what each lacks and adds beside what most give", () => {
  const list = [
    run("Paths", ["A", "B", "C"], ["f", "g", "h"]),
    run("Triples", ["A", "B", "C"], ["f", "g"]),
    run("Explorer", ["A", "D"], ["f", "k", "l"], 510),
    run("Passages", [], []),
  ];
  expect(differences(list)).toEqual([
    "Paths and Triples give the same 3 answers.",
    "Explorer lacks B and C and adds D.",
    "Passages gives no answer.",
    "Of 5 facts as evidence none is used by all 4, 2 by some of them, 1 only by Paths, 2 only by Explorer.",
    "Explorer took 5 times as long as Paths.",
  ]);
});

it("compares two that differ with each other", () => {
  const many = ["A", "B", "C", "D", "E"];
  expect(differences([run("Paths", ["A"], ["f"]), run("Explorer", many, ["f"])])).toEqual([
    "Explorer adds B, C, D and 1 more beside Paths.",
    "They rest on the same fact.",
  ]);
  expect(differences([run("Paths", ["A"], []), run("Explorer", ["B"], [])])).toEqual([
    "Explorer gives other answers altogether: B.",
  ]);
});

it("says what failed, and nothing while they go on", () => {
  const [done, going] = [run("Paths", ["A"], []), run("Explorer", ["A"], [], 1, "running")];
  expect(differences([done, going, { name: "x", view: null }])).toEqual([]);
  expect(differences([done, run("Explorer", ["A"], [], 1, "failed")])).toEqual(["Explorer failed."]);
  expect(differences([done, done, run("x", [], [], 1, "cancelled")])).toEqual([
    "Both methods give the same answer.",
    "x was stopped.",
  ]);
});
