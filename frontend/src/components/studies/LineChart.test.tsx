import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { LineChart, ticks } from "./LineChart";

it("has round ticks", () => {
  expect(ticks(0, 1)).toEqual([0, 0.5, 1]);
  expect(ticks(0.71, 0.98)).toEqual([0.8, 0.9]);
  expect(ticks(3, 3)).toEqual([3]);
});

it("names its lines, and each point with its figure", () => {
  const points = [
    { x: 5, y: 0.5, low: 0.25, high: 0.75 },
    { x: 50, y: 0.75, low: null, high: null },
  ];
  render(
    <LineChart
      title="Hit by budget"
      series={[{ label: "line", points }]}
      xLabel="triples"
      yLabel="Hit"
      log
    />,
  );
  expect(screen.getByRole("img", { name: "Hit by budget: 1 lines" })).toBeInTheDocument();
  expect(screen.getByText("line: 0.5 at 5")).toBeInTheDocument();
  expect(document.querySelectorAll(".chart-range")).toHaveLength(1);
});
