import { afterEach, expect, it, vi } from "vitest";
import { makeCache } from "@/api/cache";
import type { Graph } from "@/api/types";
import { entitiesNow, goneWords } from "./entitiesNow";

const graph = { id: 1, snapshot: { hash: "new" } } as Graph;
const known = [
  { id: 0, label: "Acme" },
  { id: 4, label: "Bolt" },
];

afterEach(() => {
  vi.unstubAllGlobals();
});

it("takes entities by their numbers in the version that was asked", async () => {
  expect(await entitiesNow(makeCache(), { snapshot: "new" }, graph, known)).toEqual({
    ...{ found: known, gone: [] },
  });
});

it("finds them by their names in another version, and says which are gone", async () => {
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(
      new Response(JSON.stringify(url.includes("q=Bolt") ? [{ id: 0, label: "Bolt" }] : []), { status: 200 }),
    ),
  );
  expect(await entitiesNow(makeCache(), { snapshot: "old" }, graph, known)).toEqual({
    ...{ found: [{ id: 0, label: "Bolt" }], gone: ["Acme"] },
  });
  expect(goneWords(["Acme"])).toBe("Acme is not in the current version of the graph.");
});
