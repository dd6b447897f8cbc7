import { expect, it } from "vitest";
import type { Risk } from "@/api/reportTypes";
import { coverageAt, reliabilitySeries, riskSeries } from "./risk";

const RISK: Risk = {
  ...{ n: 4, answered: 3, wrong: 1 },
  curve: [
    { confidence: 0.9, coverage: 0.25, error: 0 },
    { confidence: 0.5, coverage: 0.75, error: 0.3333 },
  ],
  bins: [{ low: 0.5, high: 0.6, n: 2, confidence: 0.55, right: 0.5 }],
};
const EMPTY: Risk = { n: 2, answered: 0, wrong: 0, curve: [], bins: [] };

it("covers as much as the errors allow, and nothing where nothing is answered", () => {
  expect([0, 0.3, 0.34].map((error) => coverageAt(RISK, error))).toEqual([0.25, 0.25, 0.75]);
  expect(coverageAt(EMPTY, 0.5)).toBe(0);
});

it("draws a line for each report, and the diagonal", () => {
  const both = [
    { label: "a", risk: RISK },
    { label: "b", risk: EMPTY },
  ];
  expect(riskSeries(both).map(({ points }) => points.map(({ x, y }) => [x, y]))).toEqual([
    [
      [0.25, 0],
      [0.75, 0.3333],
    ],
    [],
  ]);
  expect(reliabilitySeries(both).map(({ label, points }) => [label, points.length])).toEqual([
    ["a", 1],
    ["b", 0],
    ["as right as confident", 2],
  ]);
});
