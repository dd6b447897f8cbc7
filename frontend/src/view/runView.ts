// The run reducer: events in, view model out. Pure; every event type is handled in one place.
import type {
  Answer,
  AnswerFinal,
  AnswerTable,
  EvidenceChain,
  Hop,
  LinkedEntity,
  NoAnswer,
  ProgramExecuted,
  QuestionRewritten,
  RetrievedPassage,
  RouterDecided,
  RunStarted,
  SubgraphExtracted,
  Usage,
} from "@/api/events";
import type { AnswerLimit } from "@/api/events";
import type { RunEvent } from "@/api/types";
import { stepped, rewound, type Walked } from "./agentWalk";
import { withHops, withNodes } from "./runEntities";
import { addStep, type Step } from "./steps";

export type Phase = "queued" | "running" | "paused" | "done" | "failed" | "cancelled";

export interface RetrievedPath {
  index: number;
  score: number;
  at_ms: number;
  facts: readonly string[];
  hops: readonly Hop[];
}

export interface RunView extends Walked {
  run: string;
  seq: number;
  phase: Phase;
  startedAt: string | null;
  started: RunStarted | null;
  /** A follow-up as it stands on its own. */
  rewritten: QuestionRewritten | null;
  linked: readonly LinkedEntity[];
  unmatched: readonly string[];
  router: RouterDecided | null;
  subgraph: SubgraphExtracted | null;
  paths: readonly RetrievedPath[];
  passages: readonly RetrievedPassage[];
  /** What the question was read as, where it was worked out by a program. */
  program: ProgramExecuted | null;
  chains: readonly EvidenceChain[];
  /** Keys of the facts of each chain, in the order of `chains`. */
  chainFacts: readonly (readonly string[])[];
  answers: readonly Answer[];
  noAnswer: NoAnswer | null;
  text: string;
  /** The answers in a sentence; null where there are none, where they are guesses, or where `text` says them. */
  sentence: string | null;
  /** The answers with what else was asked for of each, where they are rows of several columns. */
  table: AnswerTable | null;
  /** Words of the question that the answers leave out, as they stand in it. */
  unused: readonly string[];
  /** How the answers stand to the graph's limit on wrong ones; null without one. */
  limit: AnswerLimit | null;
  warnings: readonly string[];
  usage: Usage | null;
  tookMs: number | null;
  failure: { code: string; message: string; hint: string } | null;
  cancelled: { message: string; paths: number } | null;
  steps: readonly Step[];
}

export function emptyView(run: string): RunView {
  return {
    run,
    seq: 0,
    phase: "queued",
    startedAt: null,
    started: null,
    rewritten: null,
    linked: [],
    unmatched: [],
    router: null,
    subgraph: null,
    nodes: new Map(),
    facts: new Map(),
    paths: [],
    passages: [],
    agent: [],
    undone: [],
    pause: null,
    agentFacts: [],
    window: [],
    frontier: [],
    jumps: [],
    ...noEnd(),
    steps: [],
  };
}

/** What a run that has not come to its end lacks. */
function noEnd() {
  return {
    program: null,
    chains: [],
    chainFacts: [],
    answers: [],
    noAnswer: null,
    text: "",
    sentence: null,
    table: null,
    unused: [],
    limit: null,
    warnings: [],
    usage: null,
    tookMs: null,
    failure: null,
    cancelled: null,
  };
}

/** Runs of earlier versions do not say what they left out. */
function unusedOf({ rewritten, started }: RunView, event: Partial<Pick<AnswerFinal, "unused">>): string[] {
  const question = Array.from(rewritten?.question ?? started?.question ?? "");
  return (event.unused ?? []).map(({ start, end }) => question.slice(start, end).join(""));
}

function changes(view: RunView, event: RunEvent): Partial<RunView> {
  switch (event.type) {
    case "run.started":
      return { phase: "running", startedAt: event.at, started: event };
    case "question.rewritten":
      return { rewritten: event };
    case "question.linked":
      return {
        linked: event.entities,
        unmatched: event.unmatched,
        nodes: withNodes(
          view,
          event.entities.map((linked) => linked.entity),
        ),
      };
    case "router.decided":
      return { router: event };
    case "subgraph.extracted":
      return { subgraph: event, nodes: withNodes(view, event.topics) };
    case "path.retrieved": {
      const { nodes, facts, keys } = withHops(view, event.hops);
      const path = {
        index: event.index,
        score: event.score,
        at_ms: event.at_ms,
        facts: keys,
        hops: event.hops,
      };
      return { nodes, facts, paths: [...view.paths, path] };
    }
    case "passages.retrieved":
      return { passages: event.passages };
    case "agent.step":
      return { ...stepped(view, event), phase: "running", pause: null };
    case "run.paused":
      return { phase: "paused", pause: { message: event.message, alternatives: event.alternatives } };
    case "agent.rewound":
      return { ...noEnd(), ...rewound(view, event.to_step), phase: "running" };
    case "similarity.expanded":
      return { nodes: withNodes(view, [event.source, event.target]), jumps: [...view.jumps, event] };
    case "chains.built": {
      let grown = view;
      const chainFacts: string[][] = [];
      for (const chain of event.chains) {
        const { nodes, facts, keys } = withHops(grown, chain.hops);
        grown = { ...grown, nodes, facts };
        chainFacts.push(keys);
      }
      const over = { frontier: [], window: [] };
      return { nodes: grown.nodes, facts: grown.facts, chains: event.chains, chainFacts, ...over };
    }
    case "program.executed":
      return { program: event };
    case "answer.delta":
      return { text: view.text + event.text };
    case "answer.final":
      return {
        phase: "done",
        pause: null,
        frontier: [],
        window: [],
        answers: event.answers,
        // One that was written before has no near names.
        noAnswer: event.no_answer && Object.assign({ near: [] }, event.no_answer),
        text: event.text,
        sentence: event.sentence,
        table: event.table ?? null, // runs of earlier versions lack it
        unused: unusedOf(view, event),
        limit: event.limit,
        warnings: event.warnings,
        usage: event.usage,
        tookMs: event.took_ms,
        nodes: withNodes(
          view,
          event.answers.flatMap((answer) => (answer.entity ? [answer.entity] : [])),
        ),
      };
    case "run.failed":
      return {
        phase: "failed",
        pause: null,
        failure: { code: event.code, message: event.message, hint: event.hint },
      };
    case "run.cancelled":
      return { phase: "cancelled", pause: null, cancelled: { message: event.message, paths: event.paths } };
  }
}

/** The number of the last event that stands when steps are taken back; null when none are. */
function keptUntil(view: RunView, event: RunEvent): number | null {
  if (event.type !== "agent.rewound") return null;
  const gone = view.agent[event.to_step];
  return gone ? gone.seq - 1 : (view.agent.at(-1)?.seq ?? view.seq);
}

/** The view after `event`. Events must come in order; `runLog` sees to that. */
export function reduceRun(view: RunView, event: RunEvent): RunView {
  return {
    ...view,
    ...changes(view, event),
    run: event.run,
    seq: event.seq,
    steps: addStep(view.steps, event, view.startedAt ?? event.at, keptUntil(view, event)),
  };
}

/** The view as it stood after event `seq`, for replay. */
export function viewAt(run: string, events: readonly RunEvent[], seq: number): RunView {
  return events.filter((event) => event.seq <= seq).reduce(reduceRun, emptyView(run));
}

export function isOver(phase: Phase): boolean {
  return phase === "done" || phase === "failed" || phase === "cancelled";
}
