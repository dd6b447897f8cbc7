import { expect, it } from "vitest";
import { NODES } from "@/test/switzerland";
import { readEvent } from "./readEvent";

const envelope = { run: "r", seq: 1, at: "2026-01-05T12:00:00.000Z" };

it("fills in what a run kept by an older version lacks", () => {
  const answer = { label: "German", score: 1, entity: NODES.german, chains: [0], verified: true };
  const usage = { llm_calls: 1, prompt_tokens: 2, completion_tokens: 3, triples: 4 };
  expect(readEvent({ ...envelope, type: "answer.final", answers: [answer], usage })).toEqual({
    ...envelope,
    type: "answer.final",
    answers: [{ ...answer, citations: [], guess: false, beside: [], display: "", owner: "" }],
    no_answer: null,
    sentence: null,
    usage: { ...usage, reasoning_tokens: 0, cost: null },
  });
  expect(readEvent({ ...envelope, type: "agent.step", step: 2, hops: [] })).toEqual({
    ...envelope,
    type: "agent.step",
    step: 2,
    hops: [],
    current: [],
    dropped: [],
    sufficient: null,
    chosen: null,
    alternatives: [],
    by: "policy",
    seen: [],
    valid: true,
  });
  expect(readEvent({ ...envelope, type: "run.started" })).toMatchObject({ llm: null, prompts: {} });
  const [step, ranked] = [{ text: "count them", value: "3" }, { value: "5 km" }];
  expect(readEvent({ ...envelope, type: "program.executed", steps: [step], ranked: [ranked] })).toMatchObject(
    {
      by: "reader",
      steps: [{ ...step, operation: "", display: "3" }],
      ranked: [{ ...ranked, display: "5 km" }],
    },
  );
  expect(readEvent({ ...envelope, type: "similarity.expanded", score: 1 })).toMatchObject({ step: 0 });
});

it("leaves what is there as it is", () => {
  const step = {
    ...envelope,
    type: "agent.step",
    hops: [],
    current: [NODES.bern],
    dropped: [],
    sufficient: true,
    chosen: null,
    alternatives: [],
    by: "person",
    seen: [],
    valid: false,
  };
  expect(readEvent(step)).toEqual(step);
  const linked = { ...envelope, type: "question.linked", entities: [], unmatched: [], took_ms: 1 };
  expect(readEvent(linked)).toBe(linked);
});
