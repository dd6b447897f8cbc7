// A run of an agent that was paused, taken back and sent another way, as its log tells it.
import type { AgentAction, RunEvent } from "@/api/events";
import { readEvent } from "@/test/readEvent";
import { NODES, RUN, hop } from "./switzerland";

const action = (kind: AgentAction["kind"], change: Partial<AgentAction>): AgentAction => ({
  kind,
  entities: [],
  relations: [],
  triples: [],
  facts: 0,
  score: null,
  count: 0,
  front: null,
  ...change,
});

export const EXPLORE = action("explore", {
  entities: [NODES.switzerland],
  front: 0,
  count: 1,
  facts: 3,
  score: 0.9,
});
export const BORDERS = action("choose", {
  relations: [{ name: "borders", label: "borders", inverse: false }],
  facts: 1,
  score: 0.7,
});
export const CAPITAL = action("choose", {
  relations: [{ name: "capital", label: "capital", inverse: false }],
  facts: 1,
  score: 0.2,
});
export const FINISH = action("finish", { score: 0.6 });

const borders = hop(NODES.switzerland, "borders", NODES.austria);
const capital = hop(NODES.switzerland, "capital", NODES.bern);

const step = (number: number, chosen: AgentAction, change: object) => ({
  type: "agent.step",
  step: number,
  thought: `thought ${number}`,
  action: chosen.kind,
  observation: `saw ${number}`,
  hops: [],
  window: 2,
  focus: 0,
  took_ms: 1,
  chosen,
  alternatives: [chosen],
  ...change,
});

const EXPLORED = step(1, EXPLORE, { seen: [borders, capital] });
const KEPT = step(2, BORDERS, {
  hops: [borders],
  dropped: [capital],
  window: 1,
  focus: 1,
  alternatives: [BORDERS, CAPITAL],
});
const OTHERWISE = step(2, CAPITAL, {
  hops: [capital],
  dropped: [borders],
  window: 1,
  focus: 1,
  alternatives: [BORDERS, CAPITAL],
  by: "person",
});
const ENDED = {
  type: "answer.final",
  answers: [{ label: "Austria", score: 0.9, entity: NODES.austria }],
  no_answer: null,
  text: "",
  warnings: [],
  usage: null,
  took_ms: 9,
};
const paused = (number: number, alternatives: AgentAction[]) => ({
  type: "run.paused",
  step: number,
  message: `Paused at ${number}.`,
  alternatives,
});

/** 1 started, 2 explored, 3 paused, 4 kept, 5 finished, 6 answered, 7 taken back to 1, 8 paused, 9 kept otherwise. */
export const WALK: readonly RunEvent[] = [
  {
    ...{ type: "run.started", question: "q?", method: "graph-s3", reasoner: "extractive", snapshot: "s" },
    ...{ checkpoint: null, encoder: "e", budget: 50, seed: 0 },
  },
  EXPLORED,
  paused(1, [BORDERS, CAPITAL]),
  KEPT,
  step(3, FINISH, {}),
  ENDED,
  { type: "agent.rewound", to_step: 1, by: "person" },
  paused(1, [BORDERS, CAPITAL]),
  OTHERWISE,
].map((payload, index) =>
  readEvent({ run: RUN, seq: index + 1, at: `2026-01-05T12:00:0${index}.000Z`, ...payload }),
);
