import { expect, it } from "vitest";
import { nothingExplored } from "@/store/explore";
import { NODE_LIMIT, buildGraph } from "@/store/graphModel";
import { viewAt } from "@/store/runView";
import { EVENTS, RUN } from "@/test/switzerland";
import { flowLayout } from "./flow";

const at = (seq: number) =>
  buildGraph(viewAt(RUN, EVENTS, seq), nothingExplored, {
    chain: null,
    limit: NODE_LIMIT,
    only: "all",
    relations: new Set(),
  });

it("puts a node as many columns from the topic as its path has hops", () => {
  const places = flowLayout(at(4));
  expect([10, 11, 20].map((id) => places.get(id))).toEqual([
    { x: 0, y: 0 },
    { x: 210, y: 0 },
    { x: 420, y: 0 },
  ]);
});

it("never moves what is already placed", () => {
  let places = flowLayout(at(2));
  for (let seq = 3; seq <= EVENTS.length; seq += 1) {
    const next = flowLayout(at(seq), places);
    for (const [id, place] of places) expect(next.get(id)).toEqual(place);
    places = next;
  }
  expect([...places.keys()].sort((a, b) => a - b)).toEqual([10, 11, 12, 13, 20, 21, 22, 30]);
});

it("gives every node a place of its own", () => {
  const places = [...flowLayout(at(EVENTS.length)).values()].map(({ x, y }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
});

it("forgets the places of nodes that are gone", () => {
  expect(flowLayout(at(2), new Map([[99, { x: 1, y: 1 }]])).has(99)).toBe(false);
});

it("gives the same places in whatever order the facts came", () => {
  const model = at(EVENTS.length);
  const other = { ...model, nodes: [...model.nodes].reverse(), edges: [...model.edges].reverse() };
  const sorted = (places: ReturnType<typeof flowLayout>) => [...places].sort(([a], [b]) => a - b);
  expect(sorted(flowLayout(other))).toEqual(sorted(flowLayout(model)));
});
