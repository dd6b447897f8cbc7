import { afterEach, expect, it, vi } from "vitest";
import { get, post } from "./calls";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("fills the path's parameters in, sends the others as a query and leaves empty ones out", async () => {
  const asked: [url: string, method: string, body: unknown][] = [];
  vi.stubGlobal("fetch", (url: string, { method, body }: RequestInit) => {
    asked.push([url, method ?? "", body]);
    return Promise.resolve(new Response("{}"));
  });
  await get("graphs/{id}/problems", { id: "a/b", page: 2, format: "" });
  await post("graphs/{id}/rollback", { id: 3 }, { method: "rapl" });
  expect(asked).toEqual([
    ["/api/v1/graphs/a%2Fb/problems?page=2", "GET", undefined],
    ["/api/v1/graphs/3/rollback", "POST", '{"method":"rapl"}'],
  ]);
});
