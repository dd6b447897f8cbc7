// Events of tests, which name the fields that matter to them; the others have what they mean when nothing is known.
import type { Answer, NoAnswer, ProgramExecuted, RunEvent } from "@/api/events";

type Kept<T, Optional extends keyof T> = Omit<T, Optional> & Partial<Pick<T, Optional>>;

const answerOf = (kept: Kept<Answer, "citations" | "guess" | "beside" | "display" | "owner">): Answer => ({
  citations: [],
  guess: false,
  beside: [],
  display: "",
  owner: "",
  ...kept,
});

const noAnswerOf = (kept: Kept<NoAnswer, "spans">): NoAnswer => ({ spans: [], ...kept });

/** `raw` as the event it is, with every field. */
export function readEvent(raw: unknown): RunEvent {
  const event = raw as RunEvent;
  switch (event.type) {
    case "run.started":
      return { ...event, ...withDefaults(event, { llm: null, prompts: {}, endpoint: null }) };
    case "subgraph.extracted":
      return { ...event, ...withDefaults(event, { pulled: null }) };
    case "agent.step":
      return {
        ...withDefaults(event, { current: [], dropped: [], sufficient: null }),
        ...withDefaults(event, { chosen: null, alternatives: [], by: "policy", seen: [], valid: true }),
      };
    case "similarity.expanded":
      return { ...event, ...withDefaults(event, { step: 0 }) };
    case "passages.retrieved":
      return {
        ...event,
        passages: event.passages.map(({ passage, ...ranked }) => ({
          ...withDefaults(ranked, { facts: 0 }),
          passage: withDefaults(passage, { document: "", url: "" }),
        })),
      };
    case "program.executed":
      return { ...withDefaults(event, { by: "reader" }), ...withDisplay(event) };
    case "answer.final":
      return {
        ...withDefaults(event, { unused: [] }),
        answers: event.answers.map(answerOf),
        no_answer: event.no_answer ? noAnswerOf(event.no_answer) : null,
        sentence: event.sentence ?? null,
        usage: { ...NO_USAGE, ...(event.usage as Partial<typeof NO_USAGE> | null) },
      };
    default:
      return event;
  }
}

/** Steps and ranked values with what they show: the bare value where nothing is said. */
const withDisplay = ({ steps, ranked }: ProgramExecuted): Pick<ProgramExecuted, "steps" | "ranked"> => ({
  steps: steps.map((step) => ({ ...withDefaults(step, { operation: "", display: step.value }) })),
  ranked: ranked.map((one) => ({ ...withDefaults(one, { display: one.value }) })),
});

const NO_USAGE = {
  llm_calls: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  triples: 0,
  cost: null,
  reasoning_tokens: 0,
};

/** `kept` with those of `defaults` that it lacks. */
function withDefaults<T extends object, D extends Partial<T>>(kept: T, defaults: D): T & D {
  return { ...defaults, ...kept };
}
