import { describe, expect, it } from "vitest";
import type { ReportDetail } from "@/api/reportTypes";
import {
  askAgain,
  difference,
  groupOrder,
  metricNames,
  reportLabel,
  settingsThatDiffer,
  signed,
  toldBreakdowns,
} from "./reports";

const report = (change: Partial<ReportDetail>) =>
  ({
    graph: 3,
    method: "rapl",
    checkpoint: 9,
    fingerprint: "0123456789abcdef",
    reasoner: "extractive",
    budget: 50,
    seed: 7,
    n: 40,
    manifest: { code_version: "0.1+a" },
    ...change,
  }) as ReportDetail;

it("names metrics that apply, key ones first and unknown ones last", () => {
  expect(
    metricNames({
      zeal: 0.1,
      avg_triples: 4,
      exact_set: 0.5,
      hit: 0.9,
      path_recall: null,
      n: 40,
      macro_f1: 0.7,
    }),
  ).toEqual(["hit", "macro_f1", "exact_set", "avg_triples", "zeal"]);
});

it("orders groups as they count", () => {
  expect(["10+", "2", "1", "3-5"].sort(groupOrder)).toEqual(["1", "2", "3-5", "10+"]);
  expect(["unknown", "out-of-distribution", "compositional", "in-distribution"].sort(groupOrder)).toEqual([
    "in-distribution",
    "compositional",
    "out-of-distribution",
    "unknown",
  ]);
});

it("opens a question with the very same method and checkpoint", () => {
  expect(askAgain(report({}), "who & why?")).toBe("/?graph=3&q=who+%26+why%3F&method=rapl&checkpoint=9");
  expect(askAgain(report({ checkpoint: null, fingerprint: null }), "x")).toBe("/?graph=3&q=x&method=rapl");
  const named = (method: string) => `The ${method}`;
  expect([reportLabel(report({}), named), reportLabel(report({ fingerprint: null }), named)]).toEqual([
    "The rapl 01234567",
    "The rapl, untrained",
  ]);
});

it("leaves out breakdowns in which every group is unknown", () => {
  const told = toldBreakdowns({ hops: { "1": { n: 3 } }, shift: { unknown: { n: 3 } }, topics: {} });
  expect(told.map(([by]) => by)).toEqual(["hops"]);
});

describe("a difference", () => {
  const value = (v: number | null, low: number | null, high: number | null) => ({ value: v, low, high });
  it("is more than chance when the intervals keep apart, either way", () => {
    expect(difference(value(0.5, 0.4, 0.6), value(0.75, 0.65, 0.85))).toEqual({
      by: 0.25,
      apart: true,
      known: true,
    });
    expect(difference(value(0.75, 0.65, 0.85), value(0.5, 0.4, 0.6))?.apart).toBe(true);
    expect(difference(value(0.5, 0.4, 0.6), value(0.55, 0.45, 0.65))?.apart).toBe(false);
  });
  it("says nothing of what one of them lacks", () => {
    expect(difference(value(null, null, null), value(0.5, 0.4, 0.6))).toBeNull();
    expect(difference(undefined, value(0.5, 0.4, 0.6))).toBeNull();
    expect(difference(value(2, null, null), value(3, null, null))).toEqual({
      by: 1,
      apart: false,
      known: false,
    });
  });
  it("carries its sign", () => {
    expect([signed(0.25), signed(-0.0301), signed(0.0001)]).toEqual(["+0.250", "−0.030", "±0.000"]);
  });
});

it("lists only the settings in which reports differ", () => {
  expect(
    settingsThatDiffer([report({}), report({ method: "reg-path", seed: 8 })], (name) => name + "!"),
  ).toEqual([
    { name: "method", values: ["rapl!", "reg-path!"] },
    { name: "seed", values: ["7", "8"] },
  ]);
});
