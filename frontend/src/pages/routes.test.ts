import { readFileSync } from "node:fs";
import type { RouteObject } from "react-router";
import { expect, it } from "vitest";
import { pagePaths } from "../../pageList";
import { ROUTES } from "./routes";

function pathsOf(routes: readonly RouteObject[]): string[] {
  return routes.flatMap(({ path, index, children }) => {
    if (children) return pathsOf(children);
    if (index) return ["/"];
    return path === undefined || path === "*" ? [] : [`/${path.replace(/^\//, "")}`];
  });
}

it("has the addresses that the build tells the server", () => {
  const told = pagePaths(readFileSync("src/pages/routes.tsx", "utf8"));
  expect(told.sort()).toEqual(pathsOf(ROUTES).sort());
  expect(told).toContain("/graphs/:id/tests");
});
