import { expect, it } from "vitest";
import { nothingExplored } from "@/view/explore";
import { NODE_LIMIT, buildGraph } from "@/view/graphModel";
import { viewAt } from "@/view/runView";
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
  const places = flowLayout(at(4), new Map(), { width: 168 + 420 * 1.15, height: 400 });
  expect([10, 11, 20].map((id) => places.get(id)?.x)).toEqual([0, 210, 420]);
});

it("draws columns apart to fill the canvas, and no further than it may", () => {
  const width = (canvas: number) => flowLayout(at(4), new Map(), { width: canvas, height: 400 }).get(20)?.x;
  expect(width(168 + 420 * 1.15 * 1.5)).toBeCloseTo(630);
  expect(width(10_000)).toBe(714);
});

it("goes on in sub-columns where a column would be small, each a row apart from the next", () => {
  const model = at(2);
  const [one] = model.nodes;
  if (!one) throw new Error("no node");
  const many = {
    ...model,
    edges: [],
    nodes: Array.from({ length: 60 }, (_, id) => ({ ...one, id, label: String(100 + id), depth: 1 })),
  };
  const places = flowLayout(many, new Map(), { width: 860, height: 650 });
  expect([0, 1, 2, 5, 6].map((id) => places.get(id))).toEqual([
    { x: 0, y: -304 },
    { x: 148, y: -272 },
    { x: 295, y: -304 },
    { x: 738, y: -272 },
    { x: 0, y: -240 },
  ]);
});

it("puts what is added beside its neighbour, where there is room", () => {
  const whole = flowLayout(at(EVENTS.length));
  const [gone, from] = [30, 10];
  const kept = new Map([...whole].filter(([id]) => id !== gone));
  const model = at(EVENTS.length);
  const edges = model.edges.slice(0, 1).map((edge) => ({ ...edge, id: "new", source: from, target: gone }));
  const place = flowLayout({ ...model, edges }, kept).get(gone);
  const near = whole.get(from);
  expect(Math.hypot((place?.x ?? 0) - (near?.x ?? 0), (place?.y ?? 0) - (near?.y ?? 0))).toBeLessThan(330);
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
