// A recorded run that was worked out by a program: the African country with the largest area.
import type { Node, ProgramExecuted, RunEvent } from "@/api/events";
import { readEvent } from "@/test/readEvent";
import { RUN } from "./switzerland";

const node = (id: number, label: string): Node => ({ id, label, kind: "entity" });

export const LAND = {
  algeria: node(1, "Algeria"),
  congo: node(2, "Congo"),
  chad: node(3, "Chad"),
  france: node(4, "France"),
  africa: node(5, "Africa"),
  country: node(6, "country"),
} as const;

const relation = (name: string, inverse = false) => ({ name, inverse });
const those = (label: string, name: string) => ({
  op: "Walk",
  source: { op: "Entities", ids: [label] },
  relation: relation(name, true),
});
const africans = { op: "And", left: those("country", "type"), right: those("Africa", "continent") };

export const LARGEST = {
  ...{ op: "Top", source: africans, largest: true, rank: 1, count: 1 },
  key: { op: "Key", path: [relation("area")], counted: false },
};
export const COUNTED = { op: "Count", source: africans };

const { algeria, congo, chad, france } = LAND;
const set = (
  text: string,
  nodes: readonly Node[],
  path: readonly string[],
  operation: string,
  count = nodes.length,
) => ({
  ...{ text, result: "set" as const, count, value: "", nodes, path, operation, display: "" },
});

export const PROGRAM: ProgramExecuted = {
  type: "program.executed",
  read: { text: "countries → continent Africa → largest area", program: LARGEST, score: 0.67 },
  steps: [
    set("countries", [algeria, congo, chad, france], ["source", "left"], "Walk", 52),
    set("in Africa (continent)", [algeria, congo, chad], ["source"], "And"),
    set("the one with the largest area", [algeria], [], "Top"),
  ],
  others: [{ text: "countries → continent Africa → count", program: COUNTED, score: 0.2 }],
  ranked: [
    { node: algeria, value: "2,381,741 km2", answer: true, group: "", display: "2,381,741 km²" },
    { node: congo, value: "2,344,858 km2", answer: false, group: "", display: "2,344,858 km²" },
    { node: chad, value: "1,284,000 km2", answer: false, group: "", display: "1,284,000 km²" },
  ],
  sparql: "SELECT ?node WHERE { }\n",
  cypher: "MATCH (node) RETURN node\n",
  took_ms: 3,
  by: "reader",
};

/** The same question, as one that only counts. */
export const COUNT: ProgramExecuted = {
  ...PROGRAM,
  read: { text: "countries → continent Africa → count", program: COUNTED, score: 0.9 },
  steps: [
    ...PROGRAM.steps.slice(0, 1).map((step) => ({ ...step, path: ["source", "left"] })),
    set("in Africa (continent)", [algeria, congo, chad], ["source"], "And"),
    {
      ...{ text: "count them", result: "number", count: 0, value: "3", nodes: [], path: [] },
      ...{ operation: "Count", display: "3" },
    },
  ],
  others: [],
  ranked: [],
};

const chain = {
  source: algeria,
  steps: [{ name: "continent", label: "continent", inverse: false }],
  levels: [[LAND.africa]],
  level_counts: [1],
  hops: [
    {
      ...{ source: algeria, target: LAND.africa, verified: true },
      step: { name: "continent", label: "continent", inverse: false },
    },
  ],
  score: 0.67,
  merged_with: [],
};

/** The whole stream, gapless from 1. */
export function programRun(program: ProgramExecuted = PROGRAM, label = "Algeria"): readonly RunEvent[] {
  const entity = program.ranked.length ? algeria : null;
  return [
    {
      ...{
        type: "run.started",
        question: "Which country in Africa has the largest area?",
        method: "rel-rag-path",
      },
      ...{ reasoner: "extractive", snapshot: "b2f1", checkpoint: null, encoder: "e", budget: 50, seed: 0 },
    },
    program,
    { type: "chains.built", chains: [chain], paths: 1, triples: 1, took_ms: 1 },
    {
      ...{ type: "answer.final", no_answer: null, text: "", warnings: [], took_ms: 9 },
      answers: [{ label, score: 0.67, entity, chains: [0], verified: true }],
      usage: { llm_calls: 0, prompt_tokens: 0, completion_tokens: 0, triples: 1 },
    },
  ].map((payload, index) =>
    readEvent({ run: RUN, seq: index + 1, at: "2026-01-05T12:00:00.000Z", ...payload }),
  );
}
