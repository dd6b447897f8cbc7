// Each event as a line for people: what happened, how much of it, and when.
import type { RunEvent } from "@/api/types";
import { count, milliseconds } from "./format";
import { nameOf } from "./entityNames";

export interface Step {
  seq: number;
  type: RunEvent["type"];
  title: string;
  detail: string;
  /** Milliseconds since the run started. */
  offset: number;
  /** How long the stage itself took, where the event says so. */
  took: number | null;
  /** A person took it back. */
  undone?: boolean;
}

type Line = Pick<Step, "title" | "detail" | "took">;

/** A step as it is told: its method by the name that it has everywhere. */
export function withName(step: Step, nameOf: (method: string) => string): Step {
  if (step.type !== "run.started" && step.type !== "router.decided") return step;
  return { ...step, detail: step.detail.replace(/^[a-z0-9-]+/, (method) => nameOf(method)) };
}

function line(title: string, detail: string, took: number | null = null): Line {
  return { title, detail, took };
}

function describe(event: RunEvent): Line {
  switch (event.type) {
    case "run.started":
      return line("Run started", `${event.method}, ${event.reasoner} reasoner, budget ${event.budget}`);
    case "question.rewritten":
      return line("Follow-up read", event.shown, event.took_ms);
    case "question.linked": {
      const names = event.entities.map((linked) => nameOf(linked.entity)).join(", ");
      const missed = event.unmatched.length ? `; not found: ${event.unmatched.join(", ")}` : "";
      return line(
        event.entities.length ? "Entities linked" : "No entity linked",
        (names || "none") + missed,
        event.took_ms,
      );
    }
    case "router.decided":
      return line("Method chosen", `${event.method}: ${event.reason}`, event.took_ms);
    case "subgraph.extracted":
      return line(
        event.pulled ? "Subgraph pulled" : "Subgraph",
        `${count(event.entities, "entity", "entities")}, ${count(event.triples, "triple")} within ${count(event.max_hops, "hop")}${event.pulled?.truncated ? ", cut at the limits" : ""}`,
        event.took_ms,
      );
    case "path.retrieved":
      return line(
        `Path ${event.index}`,
        [
          event.hops[0] ? nameOf(event.hops[0].source) : "",
          ...event.hops.map(
            (hop) => `${hop.step.inverse ? "←" : "→"} ${hop.step.label} ${nameOf(hop.target)}`,
          ),
        ].join(" "),
      );
    case "passages.retrieved":
      return line("Passages", `${count(event.passages.length, "passage")}, ${event.strategy}`, event.took_ms);
    case "agent.step":
      return line(`Agent step ${event.step}`, `${event.action}: ${event.observation}`, event.took_ms);
    case "run.paused":
      return line("Paused", event.message);
    case "agent.rewound":
      return line("Taken back", event.to_step ? `to step ${event.to_step}` : "to the beginning");
    case "similarity.expanded":
      return line(
        "Similarity jump",
        `${nameOf(event.source)} ~ ${nameOf(event.target)} (${event.score.toFixed(2)})`,
      );
    case "chains.built":
      return line(
        "Evidence chains",
        `${count(event.chains.length, "chain")} from ${count(event.paths, "path")}, ${count(event.triples, "fact")}`,
        event.took_ms,
      );
    case "program.executed":
      return line("Worked out", event.read.text, event.took_ms);
    case "answer.delta":
      return line("Writing the answer", `${event.text.length} characters`);
    case "answer.final":
      return line(
        event.no_answer ? "No answer" : "Answer",
        event.no_answer ? event.no_answer.message : count(event.answers.length, "answer"),
        event.took_ms,
      );
    case "run.failed":
      return line("Failed", event.message);
    case "run.cancelled":
      return line("Stopped", `${event.message} ${count(event.paths, "path")} kept.`.trim());
  }
}

/** `steps` with all marked that come behind the event `kept` and led to what was taken back. */
function takeBack(steps: readonly Step[], kept: number): readonly Step[] {
  return steps.map((step) =>
    step.seq > kept && step.type !== "agent.rewound" ? { ...step, undone: true } : step,
  );
}

/**
 * `steps` with `event` added. Pieces of one answer text are one step; a pause is told as long as it lasts; what is
 * taken back stays, marked, behind the event `kept`.
 */
export function addStep(
  all: readonly Step[],
  event: RunEvent,
  startedAt: string,
  kept: number | null = null,
): readonly Step[] {
  const offset = Math.max(0, Date.parse(event.at) - Date.parse(startedAt));
  const rested = all.at(-1)?.type === "run.paused" ? all.slice(0, -1) : all;
  const steps = kept === null ? rested : takeBack(rested, kept);
  const last = steps.at(-1);
  if (event.type === "answer.delta" && last?.type === "answer.delta") {
    const written = Number.parseInt(last.detail, 10) + event.text.length;
    return [...steps.slice(0, -1), { ...last, seq: event.seq, detail: `${written} characters`, offset }];
  }
  return [...steps, { seq: event.seq, type: event.type, offset, ...describe(event) }];
}

/** One sentence for the timeline's label and for screen readers. */
export function stepSentence(step: Step): string {
  const back = step.undone ? ", taken back" : "";
  return `${step.title}: ${step.detail} (${milliseconds(step.offset)}${back})`;
}
