import { expect, it } from "vitest";
import type { Schema } from "@/api/datasets";
import { contentsOf } from "./contents";

const edge = (relation: number, label: string, source: number, target: number) => ({
  ...{ relation, label, source, target },
  count: 8,
});
const schema: Schema = {
  types: [
    { id: 0, label: "literal", count: 16 },
    { id: 1, label: "entity", count: 15 },
    { id: 2, label: "employee", count: 8 },
  ],
  edges: [
    edge(0, "department", 2, 1),
    edge(1, "salary", 2, 0),
    edge(2, "manager", 2, 2),
    edge(2, "manager", 2, 1),
    edge(3, "type", 2, 1),
    edge(4, "in country", 1, 1),
  ],
  ...{ num_types: 3, num_edges: 6 },
};

it("names the kinds with what is known of each, once, and leaves out what only says kinds", () => {
  expect(contentsOf(schema)).toEqual([
    { kind: "employee", count: 8, relations: ["department", "salary", "manager"], more: 0 },
  ]);
});

it("says how many relations are left out", () => {
  const edges = Array.from({ length: 14 }, (_, at) => edge(at, `column ${at}`, 2, 1));
  expect(contentsOf({ ...schema, edges })[0]).toMatchObject({ more: 2 });
});

it("says nothing of a graph without kinds", () => {
  expect(contentsOf({ ...schema, types: schema.types.slice(0, 2) })).toEqual([]);
});
