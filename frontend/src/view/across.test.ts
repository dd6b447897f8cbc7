import { expect, it } from "vitest";
import type { Across } from "@/api/across";
import { acrossGraph, agreement, graphName } from "./across";

const node = (id: number, label: string) => ({ id, label, kind: "entity" as const });
const hop = (source: [number, string], name: string, target: [number, string]) => ({
  ...{ source: node(...source), target: node(...target), verified: true },
  step: { name, label: name, inverse: false },
});
const member = (
  place: number,
  entity: number,
  label: string,
  facts: ReturnType<typeof hop>[],
  by: "" | "name" = "",
) => ({
  ...{ place, entity, label, by, facts, facts_total: facts.length },
  ...{ iri: "", score: 0.9, verified: true },
});
const answers: Across["answers"] = [
  {
    ...{ label: "France", score: 0.9, guess: false },
    members: [
      member(0, 5, "France", [hop([1, "Switzerland"], "borders", [5, "France"])]),
      member(1, 2, "FRANCE", [hop([7, "switzerland"], "borders", [2, "FRANCE"])], "name"),
    ],
  },
  {
    ...{ label: "Italy", score: 0.8, guess: false },
    members: [member(1, 3, "Italy", [hop([7, "switzerland"], "borders", [3, "Italy"])])],
  },
];
const graph = (name: string, state: "done" | "failed" | "queued" | "deleted" | "hidden" = "done") => ({
  ...{ graph: 1, name, state, run: null, error: null, text: "" },
});
const of = (graphs: ReturnType<typeof graph>[], own = answers, going = false): Across => ({
  ...{ id: "x", question: "?", created_at: "", going, graphs, answers: own },
});

it("says how the graphs agree", () => {
  expect(agreement(of([graph("World"), graph("Alps")]))).toBe("2 answers: 1 in both graphs, 1 only in Alps.");
  expect(agreement(of([graph("World"), graph("Alps"), graph("Sea")]))).toBe(
    "2 answers: 1 in several graphs, 1 only in Alps.",
  );
  expect(agreement(of([graph("World"), graph("Alps", "failed")]))).toBe("2 answers, from one graph.");
  expect(agreement(of([graph("World"), graph("Alps")], []))).toBe("None of the graphs has an answer.");
  expect(agreement(of([graph("World", "failed"), graph("Alps", "failed")], []))).toBe(
    "No graph gave an answer.",
  );
  expect(agreement(of([graph("World", "queued"), graph("Alps", "queued")], [], true))).toBe("");
});

it("names what may not be named", () => {
  expect(graphName(graph("", "deleted"))).toBe("A deleted graph");
  expect(graphName(graph("", "hidden"))).toBe("A graph that you cannot see");
});

it("draws what has one name as one entity, with a stroke for each graph", () => {
  const { nodes, edges } = acrossGraph(answers);
  expect(nodes.map(({ label, role, depth }) => [label, role, depth])).toEqual([
    ["Switzerland", "topic", 0],
    ["France", "answer", 1],
    ["Italy", "answer", 1],
  ]);
  expect(edges.map(({ id, stroke, strokes }) => [id, stroke, strokes])).toEqual([
    ["1|borders|2#0", 0, 2],
    ["1|borders|2#1", 1, 2],
    ["1|borders|3#1", 1, 1],
  ]);
  expect(acrossGraph([]).nodes).toEqual([]);
});
