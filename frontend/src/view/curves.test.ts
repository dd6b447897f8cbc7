import { expect, it } from "vitest";
import { curvesOf, smoothed } from "./curves";

it("makes a series of each value of each stage", () => {
  const rows = [
    { stage: 0, step: 0, loss: 2 },
    { stage: 0, step: 1, loss: 1 },
    { stage: 1, step: 0, reward: 0.25, loss: 3 },
    { stage: 1, step: 1, reward: Number.NaN, loss: 4 },
  ];
  expect(curvesOf(rows)).toEqual([
    { stage: 0, name: "loss", values: [2, 1] },
    { stage: 1, name: "reward", values: [0.25] },
    { stage: 1, name: "loss", values: [3, 4] },
  ]);
});

it("draws many steps as means of neighbours", () => {
  expect(smoothed([1, 2, 3], 3)).toEqual([1, 2, 3]);
  expect(smoothed([1, 3, 5, 7, 9, 11], 3)).toEqual([2, 6, 10]);
});
