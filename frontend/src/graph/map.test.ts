import { expect, it } from "vitest";
import type { GraphModel, GraphNode } from "@/view/graphModel";
import { edgeOf } from "@/view/graphEdges";
import { isPlaced, mapLayout } from "./map";
import { contains } from "./polygon";

const node = (id: number, at?: [latitude: number, longitude: number]): GraphNode => ({
  ...{ id, label: `N${id}`, kind: "entity", role: "path", depth: 0, degree: 1, here: false, dim: false },
  ...(at && { place: { latitude: at[0], longitude: at[1] } }),
});
const plain = (id: number) => ({ id, label: `N${id}`, kind: "entity" as const });
const fact = { key: "1|r|4", head: plain(1), relation: "r", label: "r", tail: plain(4), verified: true };
const model: GraphModel = {
  nodes: [node(1, [0, 0]), node(2, [0, 20]), node(3, [10, 10]), node(4), node(5)],
  edges: [{ ...edgeOf(fact), faint: false, window: false, lit: false, dim: false }],
  ...{ total: 5, hidden: 0, explored: 0, settled: true },
};

it("lays entities where they lie, north above, others beside and below", () => {
  const places = mapLayout(model);
  // Ten degrees north of the equator are 10.05 degrees of it in Mercator's projection.
  expect([1, 2, 3].map((id) => places.get(id))).toEqual([
    ...[
      { x: 0, y: 201 },
      { x: 400, y: 201 },
      { x: 200, y: 0 },
    ],
  ]);
  expect(places.get(4)).toEqual({ x: 70, y: 201 });
  expect(places.get(5)).toEqual({ x: 0, y: 201 + 128 });
});

it("keeps two entities of one place apart", () => {
  const places = mapLayout({
    ...model,
    nodes: [node(1, [0, 0]), node(2, [0, 0]), node(3, [0, 9])],
    edges: [],
  });
  expect([places.get(1), places.get(2)]).toEqual([
    { x: 0, y: 0 },
    { x: 34, y: 0 },
  ]);
});

it("is worth showing where two entities have a place", () => {
  expect(isPlaced(model)).toBe(true);
  expect(isPlaced({ ...model, nodes: [node(1, [0, 0]), node(4)] })).toBe(false);
});

it("knows what lies within a line, also where it bends inwards", () => {
  const line = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 10, y: 10 },
    { x: 5, y: 3 },
    { x: 0, y: 10 },
  ];
  expect(contains(line, { x: 1, y: 5 })).toBe(true);
  expect(contains(line, { x: 5, y: 5 })).toBe(false);
  expect(contains(line, { x: 11, y: 5 })).toBe(false);
  expect(contains([], { x: 0, y: 0 })).toBe(false);
});
