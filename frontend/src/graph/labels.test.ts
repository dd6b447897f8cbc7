import { expect, it } from "vitest";
import { Boxes, fansOf, fitLines, fitNames, type Line, type Name } from "./labels";

/** A name at `x` whose letters are ten pixels wide. */
const name = (text: string, x: number, must = false): Name => ({
  id: text,
  text,
  must,
  box: (part) => ({ x1: x, y1: 0, x2: x + 10 * Array.from(part).length, y2: 12 }),
});
const texts = (
  names: readonly Name[],
  bodies = new Boxes(),
  within = null as Parameters<typeof fitNames>[2],
) => [...fitNames(names, bodies, within)].map(([, { text }]) => text);

it("writes a name whole where there is room", () => {
  expect(texts([name("Switzerland", 0), name("Liechtenstein", 200)])).toEqual([
    "Switzerland",
    "Liechtenstein",
  ]);
});

it("writes the beginning of a name where the rest would lie over another", () => {
  expect(texts([name("Switzerland", 100), name("Liechtenstein", 25)])).toEqual([
    "Switzerland",
    "Liechte…".slice(0, 6) + "…",
  ]);
});

it("leaves out what has not even room for its beginning", () => {
  expect(texts([name("Switzerland", 0), name("Liechtenstein", 50)])).toEqual(["Switzerland"]);
});

it("gives each of those that must be named its first letters before one gets more", () => {
  expect(texts([name("Switzerland", 0, true), name("Liechtenstein", 60, true)])).toEqual([
    "Switz…",
    "Liechtenstein",
  ]);
});

it("cuts between characters, not within one", () => {
  expect(texts([name("🪐🚀🌍🌕🌖🌗🌘🌑", 0, true), name("Chad", 55, true)])).toEqual(["🪐🚀🌍🌕…", "Chad"]);
});

it("covers no body, and goes beyond no canvas", () => {
  const bodies = new Boxes();
  bodies.add({ x1: 85, y1: 4, x2: 95, y2: 9 });
  expect(texts([name("Switzerland", 0)], bodies)).toEqual(["Switzer…"]);
  expect(texts([name("Switzerland", 0)], new Boxes(), { x1: 0, y1: 0, x2: 65, y2: 100 })).toEqual(["Switz…"]);
});

it("names a fan once, by the first of its edges that has room", () => {
  const edges = [
    { source: 1, target: 2, relation: "borders" },
    { source: 1, target: 3, relation: "borders" },
    { source: 4, target: 3, relation: "borders" },
    { source: 1, target: 2, relation: "near" },
  ];
  const lines = edges.map((edge, index): Line => ({
    id: String(index),
    box: () => ({ x1: 20 * index, y1: 0, x2: 20 * index + 10, y2: 5 }),
    fans: fansOf(edge),
  }));
  const taken = new Boxes();
  taken.add({ x1: 0, y1: 0, x2: 5, y2: 5 });
  // The first is covered; the second names both its fans, and with them the third's.
  expect([...fitLines(lines, taken)]).toEqual(["1", "3"]);
});
