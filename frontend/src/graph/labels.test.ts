import { expect, it } from "vitest";
import { fansOf, labelsWithoutOverlap, type Label } from "./labels";

const at = (id: string, x: number, fans?: readonly string[]): Label => ({
  ...{ id, box: { x1: x, y1: 0, x2: x + 10, y2: 5 } },
  ...(fans && { fans }),
});

it("keeps the first of two that lie over each other", () => {
  expect([...labelsWithoutOverlap([at("topic", 0), at("path", 9), at("answer", 10)])]).toEqual([
    "topic",
    "answer",
  ]);
});

it("covers nothing that is taken", () => {
  expect([...labelsWithoutOverlap([at("a", 0), at("b", 20)], [{ x1: 25, y1: 4, x2: 26, y2: 9 }])]).toEqual([
    "a",
  ]);
});

it("names a fan once, by the first of its edges that has room", () => {
  const edges = [
    { source: 1, target: 2, relation: "borders" },
    { source: 1, target: 3, relation: "borders" },
    { source: 4, target: 3, relation: "borders" },
    { source: 1, target: 2, relation: "near" },
  ];
  const labels = edges.map((edge, index) => at(String(index), index === 0 ? 0 : 20 * index, fansOf(edge)));
  const kept = labelsWithoutOverlap(labels, [{ x1: 0, y1: 0, x2: 5, y2: 5 }]);
  // The first is covered; the second names both its fans, and with them the third's.
  expect([...kept]).toEqual(["1", "3"]);
});
