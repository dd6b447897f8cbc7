// The question as it is being written, and how it is to be asked.
import type { ProgramReading } from "@/api/events";
import type { BodyOf } from "@/api/calls";
import type { AskBody, Graph, Id, Run, Status } from "@/api/types";
import { pinsAfter, type Pin } from "@/view/pins";
import { useSettings } from "@/store/settings";
import { typedOf, type Typed } from "@/view/settingsForm";

export interface Draft {
  question: string;
  graph: string | null;
  /** Graphs that are asked the same; then each finds its topics by itself. */
  others: readonly string[];
  method: string | null;
  /** A checkpoint of the method that the person named; null asks the one in use. */
  checkpoint: string | null;
  reasoner: string | null;
  /** The language model to ask, by its id; null takes the default. */
  llm: string | null;
  budget: number | null;
  seed: number;
  /** Settings of the method, as typed; what is not there has its default. */
  options: Typed;
  /** Topic entities pinned by the person; null or none lets Clew find them. */
  given: readonly Pin[] | null;
  /** An agent rests after each of its steps. */
  stepByStep: boolean;
  /** The question stands alone, whatever was asked before. */
  alone: boolean;
  /** The run that it follows. */
  follows: string | null;
}

export function startDraft(change: Partial<Draft> = {}): Draft {
  const { graph, method, reasoner, budget, seed } = useSettings.getState();
  const how = { graph, method, checkpoint: null, reasoner, llm: null, budget, seed };
  return {
    question: "",
    ...how,
    others: [],
    options: {},
    given: null,
    stepByStep: false,
    alone: false,
    follows: null,
    ...change,
  };
}

/** The draft with another question in it, or the same one in other words: pins whose words are gone go with them. */
export function rewritten(draft: Draft, question: string): Draft {
  return { ...draft, question, given: pinsAfter(draft.given, draft.question, question) };
}

export function draftOfRun(run: Run): Draft {
  return {
    question: run.question,
    graph: String(run.graph),
    others: [],
    method: run.method,
    checkpoint: null,
    reasoner: run.reasoner,
    llm: null,
    budget: run.budget,
    seed: run.seed,
    options: typedOf(run.options),
    given: null,
    stepByStep: (run.pause_after ?? null) !== null,
    alone: false,
    follows: null,
  };
}

/** The same question for several graphs. */
export function acrossBody(draft: Draft, graph: Id): BodyOf<"post", "across"> {
  return {
    graphs: [graph, ...draft.others].map(Number),
    question: draft.question.trim(),
    seed: draft.seed,
    ...(draft.method && { method: draft.method }),
    ...(draft.reasoner && { reasoner: draft.reasoner }),
    ...(draft.llm !== null && { llm: Number(draft.llm) }),
    ...(draft.budget && { budget: draft.budget }),
  };
}

/** What is asked and how much may be retrieved, without by whom. */
export function askedBody(
  draft: Draft,
  graph: Id,
): Omit<AskBody, "method" | "checkpoint" | "options" | keyof Corrected> {
  return {
    graph: Number(graph),
    question: draft.question.trim(),
    seed: draft.seed,
    ...(draft.reasoner && { reasoner: draft.reasoner }),
    ...(draft.llm !== null && { llm: Number(draft.llm) }),
    ...(draft.budget && { budget: draft.budget }),
    ...(draft.follows && { follows: draft.follows }),
    ...(draft.given?.length && { entities: draft.given.map((entity) => entity.id) }),
  };
}

/** `options` are the settings of the method that differ from its defaults. */
export function askBody(
  draft: Draft,
  graph: Id,
  options: Readonly<Record<string, unknown>> = {},
  corrected: Corrected | null = null,
): AskBody {
  return {
    ...askedBody(draft, graph),
    ...(Object.keys(options).length && { options }),
    ...corrected,
    ...(draft.stepByStep && { step_by_step: true }),
    ...(draft.method && { method: draft.method }),
    ...(draft.checkpoint && { checkpoint: Number(draft.checkpoint) }),
  };
}

/** A program to ask with in place of the question's words, and the run whose program it corrects. */
export interface Corrected {
  program: ProgramReading["program"];
  corrects: string;
}

/** The graph that is asked where the person chose none: the newest of their own, else the first that can be asked. */
export function graphAtFirst(graphs: readonly Graph[], username: string | undefined): Graph | undefined {
  const ready = graphs.filter((one) => one.state === "ready");
  const own = ready.filter((one) => one.owner !== null && one.owner === username);
  own.sort((a, b) => b.created_at.localeCompare(a.created_at));
  return own[0] ?? ready[0];
}

/** What stands against asking a graph. */
function unready(graph: Graph | undefined): string | null {
  if (!graph) return "Pick a graph to ask.";
  if (graph.state === "importing")
    return `${graph.name} is still being imported. Asking opens when that is done.`;
  if (graph.state === "failed") return `${graph.name} could not be imported. Pick another graph.`;
  return null;
}

/**
 * Why the question cannot be asked yet, as a sentence; null when it can. `settled`: what is known of the graphs is how
 * they are now. While they are looked up the question is sent, and the server says what stands against it.
 */
export function obstacle(
  draft: Draft,
  graph: Graph | undefined,
  status: Status | undefined,
  settled: boolean,
): string | null {
  const why = settled ? unready(graph) : null;
  if (why) return why;
  const length = draft.question.trim().length;
  if (length === 0) return "Type a question first.";
  const max = status?.question_max;
  if (max && length > max)
    return `The question has ${length} characters; at most ${max} are read. Shorten it.`;
  return null;
}
