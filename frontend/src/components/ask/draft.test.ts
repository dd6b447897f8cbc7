import { expect, it } from "vitest";
import type { Graph } from "@/api/types";
import { graphAtFirst } from "./draft";

const graph = (id: number, owner: string | null, created_at: string, state = "ready") =>
  ({ id, owner, created_at, state }) as unknown as Graph;

const demo = graph(1, null, "2026-01-01T00:00:00Z");
const old = graph(2, "ada", "2026-01-02T00:00:00Z");
const newer = graph(3, "ada", "2026-01-03T00:00:00Z");

it("asks the newest graph of one's own that is ready, where none was chosen", () => {
  expect(graphAtFirst([demo, old, newer], "ada")).toBe(newer);
  expect(graphAtFirst([demo, old, graph(4, "ada", "2026-01-04T00:00:00Z", "importing")], "ada")).toBe(old);
});

it("asks the first that is ready where one has none", () => {
  expect(graphAtFirst([demo, old], "bob")).toBe(demo);
  expect(graphAtFirst([graph(5, null, "2026-01-01T00:00:00Z", "failed"), demo], undefined)).toBe(demo);
  expect(graphAtFirst([], "ada")).toBeUndefined();
});
