import { expect, it } from "vitest";
import { kindsIn, lookOf, pictureOf, withKinds } from "./kinds";
import type { GraphModel, GraphNode } from "./graphModel";

const node = (id: number, kind: GraphNode["kind"] = "entity"): GraphNode => ({
  ...{ id, label: `N${id}`, kind, role: "path", depth: 0, degree: 1, here: false, dim: false },
});
const model: GraphModel = {
  nodes: [node(1), node(2), node(3), node(4, "literal"), node(5)],
  ...{ edges: [], total: 5, hidden: 0, explored: 0, settled: true },
};
const told = (id: number, type: string, place: { latitude: number; longitude: number } | null = null) => ({
  ...{ id, label: `N${id}`, kind: "entity" as const, type, degree: 1, iri: "", place },
});
const picture = {
  nodes: [
    told(1, "city", { latitude: 1, longitude: 2 }),
    told(2, "wombat"),
    told(3, "city"),
    told(4, "city"),
  ],
  kinds: ["country", "city"],
};

it("has a picture for a kind by its last word that has one, else a letter", () => {
  expect(["Countries", "largest city", "award received", "movie", "wombat", "7"].map(pictureOf)).toEqual([
    ...["flag", "place", "award", "film", "W", ""],
  ]);
});

it("gives the commonest kinds of the graph a colour, whatever is drawn", () => {
  expect(lookOf("city", picture.kinds)).toEqual({ kind: "city", picture: "place", colour: 1 });
  expect(lookOf("wombat", picture.kinds).colour).toBeNull();
  expect(lookOf("k8", ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"]).colour).toBeNull();
});

it("puts kinds and places into a drawing, of entities alone", () => {
  const { nodes } = withKinds(model, picture);
  expect(nodes.map(({ look }) => look?.kind)).toEqual(["city", "wombat", "city", undefined, undefined]);
  expect(nodes.map(({ place }) => place)).toEqual([
    ...[{ latitude: 1, longitude: 2 }, undefined, undefined, undefined, undefined],
  ]);
  expect(withKinds(model, undefined)).toBe(model);
});

it("counts the kinds of a drawing, those with a colour first", () => {
  expect(kindsIn(withKinds(model, picture)).map(({ kind, nodes }) => [kind, nodes])).toEqual([
    ["city", [1, 3]],
    ["wombat", [2]],
  ]);
});
