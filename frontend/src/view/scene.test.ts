import { expect, it } from "vitest";
import { EVENTS, NODES, RUN } from "@/test/switzerland";
import { emptyView, viewAt } from "./runView";
import { sceneOf } from "./scene";

it("shows the evidence of a run from its topics on", () => {
  const view = viewAt(RUN, EVENTS, EVENTS.length);
  const address = sceneOf({ graph: 7, snapshot: "abc" }, view) ?? "";
  expect(address.startsWith("/graphs/7/explore?")).toBe(true);
  const params = new URL(address, "http://x").searchParams;
  expect([params.get("pin"), params.get("v")]).toEqual([String(NODES.switzerland.id), "abc"]);
  const shown = (params.get("show") ?? "").split("_").map((step) => step.split(".").map(Number));
  expect(shown[0]).toEqual([NODES.switzerland.id]);
  expect(shown[1]).toEqual(expect.arrayContaining([NODES.french.id, NODES.german.id]));
  expect(sceneOf({ graph: 7, snapshot: "abc" }, emptyView("x"))).toBeUndefined();
});
