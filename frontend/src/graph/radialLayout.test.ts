import { expect, it } from "vitest";
import type { GraphModel } from "@/view/graphModel";
import { factsGraph } from "@/view/plainGraph";
import { radialLayout, timelineLayout, timesOf } from "./radialLayout";

const node = (id: number, label: string) => ({ id, label, kind: "entity" as const });
const fact = (head: ReturnType<typeof node>, relation: string, tail: ReturnType<typeof node>) => ({
  ...{ key: `${head.id}|${relation}|${tail.id}`, head, tail, relation, label: relation, verified: true },
});
const ada = node(0, "Ada");
const film = (id: number, label: string) => fact(ada, "directed", node(id, label));

it("puts what is one hop away on a ring, each as far from the next", () => {
  const model = factsGraph([film(1, "A"), film(2, "B"), film(3, "C"), film(4, "D")], ada);
  const places = radialLayout(model);
  expect(places.get(0)).toEqual({ x: 0, y: 0 });
  expect([1, 2, 3, 4].map((id) => places.get(id))).toEqual([
    { x: 120, y: -120 },
    { x: 120, y: 120 },
    { x: -120, y: 120 },
    { x: -120, y: -120 },
  ]);
});

const dated: GraphModel = factsGraph(
  [
    film(1, "Low Tide"),
    film(2, "Lantern"),
    film(3, "Nowhere"),
    fact(node(1, "Low Tide"), "released", node(4, "1931")),
    fact(node(2, "Lantern"), "released", node(5, "1941-07-01")),
  ],
  ada,
);

it("takes the time of a thing from the dates that its facts lead to", () => {
  expect([...timesOf(dated)].sort(([a], [b]) => a - b)).toEqual([
    [1, 1931],
    [2, 1941.5],
    [4, 1931],
    [5, 1941.5],
  ]);
});

it("orders what is dated by time, and keeps the rest below", () => {
  const places = timelineLayout(dated);
  expect(places.get(1)?.x).toBe(0);
  expect(places.get(2)?.x).toBe(1100);
  expect(places.get(4)?.x).toBe(0);
  expect(places.get(1)?.y).not.toBe(places.get(4)?.y);
  expect([0, 3].map((id) => places.get(id)?.y)).toEqual([192, 192]);
});
