import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { readEvent } from "@/test/readEvent";
import { reduceRun, viewAt } from "@/view/runView";
import { EVENTS, RUN } from "@/test/switzerland";
import { RunFacts } from "./RunFacts";

const [STARTED, LINKED, SUBGRAPH] = EVENTS;

function show(changes: object, subgraph: object | null) {
  const payloads = [{ ...STARTED, ...changes }, LINKED, ...(subgraph ? [{ ...SUBGRAPH, ...subgraph }] : [])];
  const view = payloads
    .map((payload, index) => readEvent({ ...payload, run: RUN, seq: index + 1, at: "2026-01-05T12:00:00Z" }))
    .reduce(reduceRun, viewAt(RUN, [], 0));
  render(<RunFacts view={view} isTrained llm="" />);
  return [...document.querySelectorAll("dl > *")].map((one) => one.textContent);
}

it("names the snapshot of a run", () => {
  expect(show({}, {}).slice(0, 2)).toEqual(["snapshot", "b2f1"]);
});

it("names the endpoint of a run that has no snapshot, when it was asked and what came", () => {
  const pulled = { at: "2020-01-05T11:59:00Z", hash: "0123456789abcdef", queries: 4, truncated: true };
  const said = show({ snapshot: "", endpoint: "https://host/sparql" }, { pulled });
  expect(said.slice(0, 3)).toEqual(["endpoint", "https://host/sparql", "facts"]);
  expect(said[3]).toMatch(/^pulled .* ago by 4 queries, cut at the limits; 0123456789ab$/);
  expect(screen.queryByText("snapshot")).toBeNull();
});

it("says that nothing was pulled", () => {
  expect(show({ snapshot: "", endpoint: "https://host/sparql" }, null)[3]).toBe("none pulled");
});
