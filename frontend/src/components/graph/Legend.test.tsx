import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { GraphModel } from "@/view/graphModel";
import { Legend } from "./Legend";

const EMPTY: GraphModel = { nodes: [], edges: [], total: 0, hidden: 0, explored: 0, settled: true };

const shown = (model: GraphModel) => {
  render(<Legend model={model} agent={false} window={false} pinned={false} />);
  return screen.queryAllByRole("listitem").map((one) => one.textContent);
};

it("says nothing of an empty drawing", () => {
  expect(shown(EMPTY)).toEqual([]);
  render(<Legend model={EMPTY} agent window pinned={false} />);
  expect(screen.queryByRole("list")).toBeNull();
});

it("names the marks that are drawn", () => {
  const node = { label: "", depth: 0, degree: 0, here: false, dim: false };
  expect(
    shown({
      ...EMPTY,
      nodes: [
        { ...node, id: 0, kind: "entity", role: "topic" },
        { ...node, id: 1, kind: "literal", role: "answer" },
      ],
    }),
  ).toEqual(["topic", "answer", "value or mediator"]);
});
