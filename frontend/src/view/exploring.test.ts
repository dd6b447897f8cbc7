import { expect, it } from "vitest";
import type { Picture } from "@/api/explore";
import { addressOf, exploredGraph, exploringOf, shownIn, shownOf, withShown, without } from "./exploring";

const node = (id: number, label: string, type = "", kind: "entity" | "literal" = "entity") => ({
  ...{ id, label, type, kind },
  degree: 9,
  iri: "",
  place: null,
});
const [germany, berlin, swiss, year] = [
  node(1, "Germany", "country"),
  node(2, "Berlin", "city"),
  node(3, "Switzerland", "country"),
  node(4, "1949", "", "literal"),
] as const;
const hop = (source: typeof germany, name: string, target: typeof germany) => ({
  ...{ source, target, verified: true },
  step: { name, label: name, inverse: false },
});
const picture: Picture = {
  nodes: [germany, berlin, swiss, year],
  hops: [hop(germany, "capital", berlin), hop(germany, "founded", year), hop(swiss, "borders", germany)],
  total: 3,
  missing: [],
  kinds: ["country"],
};
const at = (address: string) => exploringOf(new URLSearchParams(address));
const labels = (address: string) => exploredGraph(at(address), picture).nodes.map((one) => one.label);

it("is the address, and the address is it", () => {
  const address = "show=1_2.3_4&pin=3&kinds=country,big%2520city&relations=a%252Cb&path=2.1.3&v=abc";
  const exploring = at(address);
  expect(exploring).toEqual({
    steps: [[1], [2, 3], [4]],
    pins: [3],
    kinds: ["country", "big city"],
    relations: ["a,b"],
    path: [2, 1, 3],
    version: "abc",
  });
  const back = Object.entries(addressOf(exploring)) as [string, string][];
  expect(exploringOf(new URLSearchParams(back))).toEqual(exploring);
});

it("takes from an address what makes sense", () => {
  expect(at("show=1.x.1_-2__3&pin=3.9&path=7&kinds=%25E0%25A4%25A&v=")).toEqual({
    ...{ steps: [[1], [3]], pins: [3], kinds: [], relations: [], path: [], version: "" },
  });
  expect(shownOf(at(`show=${Array.from({ length: 700 }, (_, id) => id).join(".")}`))).toHaveLength(500);
  expect(addressOf(at(""))).toEqual({
    ...{ show: null, pin: null, kinds: null, relations: null, path: null, v: null },
  });
});

it("adds what is new as one step and takes away what is hidden", () => {
  expect(withShown(at("show=1.2"), [2, 3, 3]).steps).toEqual([[1, 2], [3]]);
  const before = at("show=1.2");
  expect(withShown(before, [2])).toBe(before);
  expect(without(at("show=1_2.3&pin=2.3&path=1.2"), [2])).toMatchObject({
    ...{ steps: [[1], [3]], pins: [3], path: [] },
  });
});

it("draws what is shown, from where one began", () => {
  const graph = exploredGraph(at("show=1_2.3"), picture);
  expect(graph.nodes.map(({ label, depth, role }) => [label, depth, role])).toEqual([
    ["Germany", 0, "path"],
    ["Berlin", 1, "path"],
    ["Switzerland", 1, "path"],
  ]);
  expect(graph.edges.map((edge) => edge.fact)).toEqual(["1|capital|2", "3|borders|1"]);
  expect(exploredGraph(at("show=1_2.3"), picture, 1).nodes.map((one) => one.label)).toEqual(["Germany"]);
  // From a pin the others are as far as their facts lead.
  expect(exploredGraph(at("show=1_2.3&pin=2"), picture).nodes.map((one) => one.depth)).toEqual([1, 0, 2]);
});

it("filters by kind and by relation, and keeps what is pinned", () => {
  expect(labels("show=1_2.3.4&kinds=country")).toEqual(["Germany", "Switzerland"]);
  expect(labels("show=1_2.3.4&kinds=value")).toEqual(["1949"]);
  expect(labels("show=1_2.3.4&kinds=country&pin=2")).toEqual(["Germany", "Berlin", "Switzerland"]);
  expect(labels("show=1_2.3.4&relations=capital")).toEqual(["Germany", "Berlin"]);
  expect(exploredGraph(at("show=1_2.3.4&relations=capital"), picture).hidden).toBe(2);
});

it("lights a path", () => {
  const { nodes, edges } = exploredGraph(at("show=1_2.3.4&path=2.1.3"), picture);
  expect(edges.map((edge) => [edge.fact, edge.lit])).toEqual([
    ["1|capital|2", true],
    ["1|founded|4", false],
    ["3|borders|1", true],
  ]);
  expect(nodes.filter((one) => one.dim).map((one) => one.label)).toEqual(["1949"]);
});

it("counts what of a relation is shown", () => {
  expect(shownIn(picture, 1, { relation: "borders", direction: "in" })).toBe(1);
  expect(shownIn(picture, 1, { relation: "borders", direction: "out" })).toBe(0);
  expect(shownIn(undefined, 1, { relation: "borders", direction: "in" })).toBe(0);
});
