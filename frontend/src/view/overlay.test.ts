import { describe, expect, it } from "vitest";
import type { RunEvent } from "@/api/events";
import { EVENTS, NODES, RUN, hop } from "@/test/switzerland";
import { nothingExplored } from "./explore";
import { pathWithin } from "./graphEdges";
import { NODE_LIMIT, buildGraph } from "./graphModel";
import { answerRows, overlay } from "./overlay";
import { viewAt } from "./runView";

const { switzerland, austria, german, italian, italy } = NODES;
const first = viewAt(RUN, EVENTS, EVENTS.length);

/** Another run of the question: it finds German by the same fact, and Italian, and not French. */
const other = viewAt(
  "other",
  [
    { type: "run.started", method: "rapl", question: "q" },
    {
      type: "path.retrieved",
      index: 1,
      hops: [hop(switzerland, "borders", austria), hop(austria, "official_language", german)],
      score: 0.8,
      at_ms: 3,
    },
    {
      type: "path.retrieved",
      index: 2,
      hops: [hop(italy, "borders", switzerland, true), hop(italy, "official_language", italian)],
      score: 0.7,
      at_ms: 4,
    },
    {
      type: "answer.final",
      answers: [
        { label: "Italian", score: 0.9, entity: italian, chains: [], verified: true },
        { label: "German", score: 0.8, entity: german, chains: [], verified: true },
      ],
      no_answer: null,
      text: "",
      warnings: [],
      usage: { llm_calls: 0, prompt_tokens: 0, completion_tokens: 0, triples: 4 },
      took_ms: 9,
    },
  ].map(
    (payload, index) =>
      ({ run: "other", seq: index + 1, at: `2026-01-05T12:00:00.00${index}Z`, ...payload }) as RunEvent,
  ),
  99,
);

describe("which run walked which fact", () => {
  const { walkedBy } = overlay([first, other]);

  it("names both for a shared hop", () => {
    expect(walkedBy.get("10|borders|11")).toEqual([0, 1]);
    expect(walkedBy.get("11|official_language|20")).toEqual([0, 1]);
  });

  it("names one for what only it walked, also when it went against the fact", () => {
    expect(walkedBy.get("12|official_language|21")).toEqual([0]);
    expect(walkedBy.get("10|capital|30")).toEqual([0]);
  });

  it("forgets a run that is toggled off and keeps the places of the others", () => {
    const only = overlay([null, other]);
    expect(only.walkedBy.get("10|borders|11")).toEqual([1]);
    expect(only.walkedBy.has("10|capital|30")).toBe(false);
    expect(only.chainStarts).toEqual([0, 0]);
  });
});

describe("the drawing", () => {
  const both = overlay([first, other]);
  const model = buildGraph(both.view, nothingExplored, {
    chain: null,
    limit: NODE_LIMIT,
    only: "all",
    relations: new Set(),
    walkedBy: both.walkedBy,
  });

  it("gives a shared hop a stroke for each run, and the others one", () => {
    const strokes = (fact: string) =>
      model.edges.filter((edge) => edge.fact === fact).map((edge) => [edge.id, edge.stroke, edge.strokes]);
    expect(strokes("10|borders|11")).toEqual([
      ["10|borders|11#0", 0, 2],
      ["10|borders|11#1", 1, 2],
    ]);
    expect(strokes("10|capital|30")).toEqual([["10|capital|30#0", 0, 1]]);
  });

  it("draws each entity once", () => {
    const ids = model.nodes.map((node) => node.id);
    expect(ids.length).toBe(new Set(ids).size);
  });

  it("finds a path by facts, not by strokes", () => {
    expect(pathWithin(model, switzerland.id, german.id)).toEqual([
      "10|borders|11",
      "11|official_language|20",
    ]);
  });
});

it("lists answers by agreement, then by certainty, and keeps who said what", () => {
  expect(
    answerRows([first, other]).map((row) => [row.label, row.given.map((answer) => answer?.score ?? null)]),
  ).toEqual([
    ["German", [0.97, 0.8]],
    ["French", [0.96, null]],
    ["Italian", [null, 0.9]],
    ["Romansh", [0.2, null]],
  ]);
});

it("counts chains of later runs on from those before", () => {
  expect(overlay([first, first]).chainStarts).toEqual([0, 1]);
  expect(overlay([first, first]).view.chains).toHaveLength(2);
});
