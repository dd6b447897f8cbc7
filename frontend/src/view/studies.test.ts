import { expect, it } from "vitest";
import type { StudyCell, StudyDetail, StudyPlan, StudyRow } from "@/api/studies";
import type { Setting } from "@/api/types";
import {
  UNTRAINED,
  bodyOf,
  budgetCurves,
  draftComplaint,
  draftOf,
  efficiencyCurves,
  measuresOf,
  newVariant,
  seedsOf,
  sharesOf,
  sizeOf,
  trainingCurves,
  withVariant,
} from "./studies";

const variant = {
  config: {},
  options: {},
  strategy: null,
  prompt: null,
  trained: true,
  of: null,
  budget: null,
  reasoner: null,
};
const plan: StudyPlan = {
  variants: [
    {
      ...variant,
      name: "line",
      method: "rapl",
      config: { preset: "paper", hidden: 8 },
      strategy: "llm",
      prompt: "reg",
    },
    { ...variant, name: "line 10", method: "rapl", of: "line", budget: 10, options: { draws: "K60-M80" } },
    { ...variant, name: "none", method: "rapl", trained: false },
  ],
  ...{ fractions: [0.05, 1], seeds: [0, 1], split: "test", budget: 50, topics: "given", subgraphs: "own" },
  ...{ answers: "all", reasoner: "extractive", limit: null, baseline: "line" },
};
const setting = (name: string, type: Setting["type"], fallback: unknown): Setting => ({
  ...{ name, type, default: fallback, about: "", choices: [], least: null, above: null, below: null },
});
const known = {
  rapl: { settings: [setting("hidden", "int", 8)], options: [setting("draws", "str", "K120")] },
};
const draft = () => draftOf(plan, { name: "S", preset: "p", sets: [3, 4], cross: true });

it("reads shares and seeds as people write them", () => {
  expect(sharesOf("5%, 0.25 100%")).toEqual([0.05, 0.25, 1]);
  expect(sharesOf("0%")).toBeNull();
  expect(sharesOf("")).toBeNull();
  expect(seedsOf("0, 2, 4-6, 2")).toEqual([0, 2, 4, 5, 6]);
  expect(seedsOf("6-4")).toBeNull();
  expect(seedsOf("a")).toBeNull();
});

it("sends a preset back as it came, with settings that say the default too", () => {
  expect(draft().shares).toBe("5%, 100%");
  expect(bodyOf(draft(), known)).toEqual({
    ...{ name: "S", preset: "p", sets: [{ question_set: 3 }, { question_set: 4 }], train: [], test: [3, 4] },
    ...{ fractions: [0.05, 1], seeds: [0, 1], split: "test", budget: 50, limit: null, topics: "given" },
    ...{ subgraphs: "own", answers: "all", reasoner: "extractive", baseline: "line" },
    variants: [
      {
        ...{
          name: "line",
          method: "rapl",
          config: { preset: "paper", hidden: 8 },
          options: {},
          trained: true,
        },
        ...{ strategy: "llm", prompt: "reg" },
      },
      {
        ...{ name: "line 10", method: "rapl", config: {}, options: { draws: "K60-M80" }, trained: true },
        ...{ of: "line", budget: 10 },
      },
      { name: "none", method: "rapl", config: {}, options: {}, trained: false },
    ],
  });
});

it("sends the label set that was picked for a question set, and which questions are asked", () => {
  const sent = bodyOf({ ...draft(), labels: { 4: 9, 7: 1 }, answers: "in-graph" }, known);
  expect(sent.sets).toEqual([{ question_set: 3 }, { question_set: 4, labels: 9 }]);
  expect(sent.answers).toBe("in-graph");
});

it("counts cells and trainings", () => {
  expect(sizeOf(draft(), () => true)).toEqual({ cells: 2 * 2 * 2 * 3 * 2, trainings: 2 * 2 * 2 });
  expect(sizeOf({ ...draft(), train: [3], cross: false }, () => false)).toEqual({ cells: 12, trainings: 0 });
});

it("says what is wrong, the first thing first", () => {
  const wrong = (change: object) => draftComplaint({ ...draft(), ...change }, known);
  expect(wrong({})).toBeNull();
  expect(wrong({ name: " " })).toBe("Give the study a name.");
  expect(wrong({ sets: [] })).toBe("Choose a question set.");
  expect(wrong({ shares: "200%" })).toMatch(/shares/);
  const two = [newVariant("rapl", "a"), newVariant("rapl", "a")];
  expect(wrong({ variants: two })).toBe("a: Another variant has this name.");
  expect(wrong({ variants: [{ ...newVariant("rapl", "a"), asks: "b" }] })).toMatch(/trains none/);
  expect(
    wrong({ variants: [{ ...newVariant("rapl", "a"), asks: UNTRAINED, config: { hidden: "x" } }] }),
  ).toMatch(/hidden/);
});

it("lets follow a new name who asks its checkpoints, and the baseline", () => {
  const { variants, baseline } = withVariant(draft(), draft().variants[0]?.key ?? "", {});
  expect([variants[1]?.asks, baseline]).toEqual(["line", "line"]);
  const now = draft();
  const renamed = withVariant(now, now.variants[0]?.key ?? "", { name: "graph" });
  expect([renamed.variants[0]?.name, renamed.variants[1]?.asks, renamed.baseline]).toEqual([
    "graph",
    "graph",
    "graph",
  ]);
});

const row = (name: string, fraction: number, mean: number, sd: number | null = null) =>
  ({
    ...{ variant: name, fraction, train: "a", test: "a", intervals: { hit: [0.25, 0.75] } },
    metrics: { hit: { mean, sd, values: [mean] } },
  }) as unknown as StudyRow;

it("draws a metric over shares, with deviations or else intervals", () => {
  const rows = [row("line", 1, 0.75, 0.125), row("line", 0.05, 0.5), row("none", 1, 0.5)];
  expect(efficiencyCurves(rows, "hit")).toEqual([
    {
      label: "line",
      points: [
        { x: 0.05, y: 0.5, low: 0.25, high: 0.75 },
        { x: 1, y: 0.75, low: 0.625, high: 0.875 },
      ],
    },
  ]);
  expect(efficiencyCurves(rows, "macro_f1")).toEqual([]);
});

it("draws a metric over budgets of one checkpoint", () => {
  const study = { plan, rows: [row("line", 1, 0.75), row("line 10", 1, 0.5), row("none", 1, 0.25)] };
  const [line, ...rest] = budgetCurves(study as unknown as StudyDetail, "hit");
  expect([line?.label, line?.points.map(({ x, y }) => [x, y]), rest]).toEqual([
    "line",
    [
      [10, 0.5],
      [50, 0.75],
    ],
    [],
  ]);
});

it("draws what trainings measured over their seeds, each training once", () => {
  const cell = (name: string, seed: number, losses: readonly number[]) =>
    ({
      ...{ variant: name, train: "a", fraction: 1, test: "a", seed },
      training: {
        curve: losses.map((loss, place) => ({ epoch: place + 1, loss, ...(place === 0 && { dev: 0.25 }) })),
      },
    }) as unknown as StudyCell;
  const cells = [
    cell("line", 0, [0.5, 0.25]),
    cell("line 10", 0, [0.5, 0.25]),
    cell("line", 1, [0.75, 0.25, 0.125]),
    cell("short", 0, [0.5]),
  ];
  expect(measuresOf(cells)).toEqual(["dev", "loss"]);
  const sd = Math.sqrt(0.03125);
  expect(trainingCurves(cells, "loss")).toEqual([
    {
      label: "line",
      points: [
        { x: 1, y: 0.625, low: 0.625 - sd, high: 0.625 + sd },
        { x: 2, y: 0.25, low: 0.25, high: 0.25 },
        { x: 3, y: 0.125, low: null, high: null },
      ],
    },
  ]);
});
