// @vitest-environment node
import { expect, test } from "vitest";
import type { Node } from "@/api/events";
import { factsGraph, schemaGraph } from "./plainGraph";

const node = (id: number, label: string): Node => ({ id, label, kind: "entity" });

test("facts are drawn around the entity that they were asked for", () => {
  const [film, person] = [node(1, "Alien"), node(2, "Ridley Scott")];
  const fact = {
    ...{ key: "1|directed_by|2", head: film, tail: person },
    ...{ relation: "directed_by", label: "directed by", verified: true },
  };
  const drawn = factsGraph([fact], person);
  expect(drawn.nodes.map(({ id, role, depth, degree }) => [id, role, depth, degree])).toEqual([
    [2, "topic", 0, 1],
    [1, "path", 1, 1],
  ]);
  expect(drawn.edges.map(({ source, target, label }) => [source, target, label])).toEqual([
    [1, 2, "directed by"],
  ]);
});

test("an entity without facts is drawn alone", () => {
  expect(factsGraph([], node(7, "Nobody")).nodes.map(({ label }) => label)).toEqual(["Nobody"]);
});

test("relations between the same types share a line; types without any are left out", () => {
  const drawn = schemaGraph({
    types: [
      { id: 0, label: "person", count: 1200 },
      { id: 1, label: "film", count: 30 },
      { id: 2, label: "idea", count: 1 },
    ],
    edges: [
      { relation: 0, label: "directed by", source: 1, target: 0, count: 30 },
      { relation: 1, label: "stars", source: 1, target: 0, count: 20 },
      { relation: 2, label: "married to", source: 0, target: 0, count: 4 },
    ],
    num_types: 3,
    num_edges: 3,
  });
  expect(drawn.nodes.map(({ label }) => label)).toEqual(["person · 1,200", "film · 30"]);
  expect(drawn.edges.map(({ label, relation }) => [label, relation])).toEqual([
    ["directed by and 1 more", "directed by, stars"],
    ["married to", "married to"],
  ]);
});

test("of many types those without a name are left out", () => {
  const named = Array.from({ length: 21 }, (_, id) => ({ id, label: `kind ${id}`, count: 9 }));
  const edges = named.map(({ id }) => ({ relation: 0, label: "size", source: id, target: 21, count: 9 }));
  const drawn = schemaGraph({
    types: [...named, { id: 21, label: "literal", count: 40 }],
    edges: [...edges, { relation: 1, label: "part of", source: 3, target: 4, count: 5 }],
    num_types: 22,
    num_edges: 22,
  });
  expect(drawn.nodes.map(({ label }) => label)).toEqual(["kind 3 · 9", "kind 4 · 9"]);
  expect(drawn.edges.map(({ label }) => label)).toEqual(["part of"]);
});
