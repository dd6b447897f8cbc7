import { expect, it } from "vitest";
import { swapped } from "./formats";

it("never leaves two roles in one column, so that every order can be reached", () => {
  const first = { head: 0, relation: 1, tail: 2 };
  const second = swapped(first, "head", 1);
  expect(second).toEqual({ head: 1, relation: 0, tail: 2 });
  expect(swapped(second, "relation", 2)).toEqual({ head: 1, relation: 2, tail: 0 });
  expect(swapped(first, "tail", 3)).toEqual({ head: 0, relation: 1, tail: 3 });
  expect(swapped(first, "head", 0)).toEqual(first);
});
