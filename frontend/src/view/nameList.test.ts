import { expect, it } from "vitest";
import { nameList } from "./nameList";

it("lists names as people do", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]].map(nameList)).toEqual([
    ...["", "a", "a and b", "a, b, c and d", "a, b, c and 2 others"],
  ]);
});

it("keeps names apart that run from right to left", () => {
  expect(nameList(["حلب", "دمشق"])).toBe("\u2068حلب\u2069 and \u2068دمشق\u2069");
});
