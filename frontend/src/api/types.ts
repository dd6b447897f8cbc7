// What the HTTP API answers, as docs/contracts.md lists it.
import type { AgentAction, Node, NodeKind, Hop, NoAnswer } from "./events";

export type { RunEvent } from "./events";

/** Opaque: a number or a uuid, only ever compared and put back into a URL. */
export type Id = string | number;

export type Role = "viewer" | "analyst" | "admin";

export interface User {
  username: string;
  role: Role;
  /** The password was made for them: nothing but the way to another one is open. */
  must_change_password: boolean;
}

export interface Session {
  user: User | null;
  csrf: string;
}

export interface Problem {
  code: string;
  message: string;
  hint: string;
}

export interface MethodInfo {
  id: string;
  label: string;
  description: string;
  /** It learns from questions. */
  trained: boolean;
  /** It needs no training: without a checkpoint it is not zero-shot. */
  standalone?: boolean;
  /** It can be asked here. */
  available: boolean;
  /** It goes step by step: it can be paused, taken back and sent another way. */
  steerable?: boolean;
  /** It can be asked of a graph that lives in an endpoint. */
  on_endpoints?: boolean;
  /** What a graph must hold for it, beside what every method needs. */
  needs?: ("facts" | "passages" | "llm")[];
}

/** One setting of a method's training; a value must keep to `least`, `above` and `below` where they are set. */
export interface Setting {
  name: string;
  type: "bool" | "int" | "float" | "str" | "choice";
  default: unknown;
  about: string;
  choices: string[];
  least: number | null;
  above: number | null;
  below: number | null;
}

export interface MethodDetail extends MethodInfo {
  /** Of training it. */
  settings: Setting[];
  /** Of asking it in an evaluation. */
  options: Setting[];
}

export interface LabelStrategy {
  id: string;
  label: string;
  description: string;
  available: boolean;
}

export interface Trouble {
  code: "queue" | "workers" | "disk" | "graph";
  message: string;
  hint: string;
}

export interface Status {
  version: string;
  encoder: string;
  workers: { answers: number; jobs: number };
  /** What does not work as it should just now, as the person may know it. */
  troubles: Trouble[];
  /** The language model that is asked unless another is named. */
  llm: { configured: boolean; model: string | null; name?: string | null };
  methods: MethodInfo[];
  budgets: { default: number; max: number };
  question_max: number;
  label_strategies: LabelStrategy[];
}

export interface Page<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}

export interface Checkpoint {
  id: Id;
  method: string;
  graph: Id;
  graph_name: string;
  snapshot: string;
  /** It was trained on the graph's present snapshot, and can be asked. */
  current: boolean;
  encoder: string;
  fingerprint: string;
  metrics: Record<string, number>;
  config: Record<string, unknown>;
  question_set: Id | null;
  question_set_name: string;
  label_set: Id | null;
  fraction: number;
  seed: number;
  job: Id | null;
  /** Its method uses it on this graph unless another is named. */
  in_use: boolean;
  /** Since when it is the promoted one; null for others, and for the first trained where none is. */
  promoted_at: string | null;
  created_at: string;
  created_by?: string | null;
}

/** That a checkpoint was promoted, or a promotion taken back. */
export interface Promotion {
  id: Id;
  at: string;
  user: string | null;
  method: string;
  kind: "promoted" | "rolled-back";
  /** Used from then on, and until then. */
  checkpoint: Id | null;
  previous: Id | null;
  rolled_back: boolean;
}

/** Its owner alone, the members of its groups too, or everybody. */
export type Visibility = "private" | "group" | "public";

export interface Graph {
  id: Id;
  name: string;
  description: string;
  state: "importing" | "ready" | "failed";
  index_state: "none" | "building" | "ready";
  entities: number;
  relations: number;
  triples: number;
  passages: number;
  /** How many values the attributes of its entities and facts have. */
  attributes: number;
  snapshot: { hash: string; version: number; created_at: string } | null;
  /** Where it lives, when it was not imported. */
  endpoint?: Endpoint | null;
  problems: number;
  checkpoint: Checkpoint | null;
  examples: string[];
  error: Problem | null;
  created_at: string;
  created_by: string | null;
  owner: string | null;
  visibility: Visibility;
  groups: { id: number; name: string }[];
}

export interface RowProblem {
  file: string;
  line: number;
  message: string;
  text: string;
}

export interface QuestionSet {
  id: Id;
  name: string;
  graph: Id;
  graph_name: string;
  format: string;
  questions: number;
  splits: Record<string, number>;
  problems: RowProblem[];
  created_at: string;
  created_by?: string | null;
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

/** A part of a job, in the order in which they are done. */
export interface JobStage {
  name: string;
  label: string;
  state: "waiting" | "running" | "done" | "skipped" | "failed" | "stopped";
}

export interface Job {
  id: Id;
  kind: "import" | "index" | "train" | "label" | "evaluate" | "extract" | "synthesise" | "review";
  title: string;
  state: JobState;
  /** All it goes through; `stage` to `eta_s` tell of the one that is worked on. */
  stages: JobStage[];
  /** The share of all stages that is done, 0 to 1. */
  overall: number;
  stage: string;
  done: number;
  total: number;
  unit: string;
  rate: number | null;
  eta_s: number | null;
  message: string;
  metrics: Record<string, number> | null;
  error: Problem | null;
  graph: Id | null;
  user?: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  result: unknown;
}

export type RunState = "queued" | "running" | "paused" | "done" | "failed" | "cancelled";

export interface Run {
  id: string;
  question: string;
  graph: Id;
  graph_name: string;
  snapshot: string | null;
  method: string;
  reasoner: string;
  checkpoint: Id | null;
  /** The language model that may be asked; "" when none is. */
  llm?: string;
  usage?: (LLMUsage & { over_budget: boolean }) | null;
  budget: number;
  seed: number;
  state: RunState;
  /** While it is queued: 1 is the next one. */
  position?: number | null;
  incomplete: boolean;
  answers: string[];
  answers_count: number;
  no_answer: NoAnswer | null;
  error: Problem | null;
  warning: Problem | null;
  /** Steps that an agent does at a time; null: all. */
  pause_after?: number | null;
  group: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
  user: string | null;
  /** What people doubt of it; not in lists. */
  flags?: Flag[];
}

/** Runs of one question by several methods. */
export interface RunGroup {
  id: string;
  graph: Id;
  graph_name: string;
  question: string;
  created_at: string;
  runs: Run[];
}

export interface CompareBody {
  graph: Id;
  question: string;
  methods: { method: string; checkpoint?: Id }[];
  reasoner?: string;
  llm?: number;
  budget?: number;
  seed?: number;
  entities?: number[];
}

export interface EntityMatch {
  id: number;
  label: string;
  kind: NodeKind;
  /** Type and description, where known; in an endpoint its IRI. */
  about?: string;
  /** Null where an endpoint was not asked for it. */
  degree: number | null;
  score: number;
  source: string;
}

export interface NeighbourGroup {
  relation: string;
  label: string;
  direction: "out" | "in";
  count: number;
}

export interface Neighbours {
  node: Node & { attributes?: Record<string, string> };
  groups: NeighbourGroup[];
  hops: Hop[];
  total: number;
  shown: number;
  /** An endpoint has more facts of it than were pulled. */
  cut?: boolean;
}

export interface AskBody {
  graph: Id;
  question: string;
  method?: string;
  checkpoint?: Id;
  reasoner?: string;
  llm?: number;
  budget?: number;
  seed?: number;
  entities?: number[];
  step_by_step?: boolean;
}

/** How an agent goes on: `keep` of its steps stay; 0 for `pause_after` with no action only takes back. */
export interface SteerBody {
  keep: number;
  action?: AgentAction | null;
  pause_after?: number | null;
}

export interface TrainBody {
  /** Needed, unless a review queue is named that has one. */
  question_set?: Id;
  method: string;
  config: Record<string, unknown>;
  fraction: number;
  seed?: number;
  /** Learn from what analysts decided there. */
  review_queue?: Id;
  /** Evaluate the checkpoint in use and the new one on the test questions, and leave the new one unused until then. */
  compare?: boolean;
  labels?: Id;
  trajectories?: Id;
}

/** Rational paths found for a question set. */
export interface LabelSet {
  id: Id;
  name: string;
  graph: Id;
  graph_name: string;
  snapshot: string;
  question_set: Id | null;
  question_set_name: string;
  strategy: string;
  state: JobState;
  job: Id | null;
  questions: number;
  labels: number;
  coverage: number | null;
  fit: number | null;
  sources: Record<string, number>;
  usage: Record<string, number>;
  /** How far merging shrank the candidate pools; null where the strategy makes none. */
  compression: { pools: number; raw: number; merged: number; ratio: number } | null;
  error: Problem | null;
  created_at: string;
  finished_at: string | null;
  created_by: string | null;
}

export type FlagKind = "answer-wrong" | "path-wrong" | "answer-missing";

/** What somebody doubts of a run, and where its question waits for analysts. */
export interface Flag {
  kind: FlagKind;
  /** Its name. */
  answer: string;
  chain: number | null;
  comment: string;
  right_answers?: string[];
  at: string;
  user: string | null;
  queue: Id;
  item: number;
}

/** What language models were asked for, and what it cost. */
export interface LLMUsage {
  llm_calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number | null;
}

/** How files are read; what is left out is guessed. */
export interface Reading {
  format?: string;
  delimiter?: string;
  header?: boolean;
  encoding?: string;
  columns?: Record<string, number>;
}

/** What is imported: uploads by id, and paths or addresses that the operator allows. */
export interface From {
  uploads: readonly string[];
  sources: readonly string[];
}

/** Where a graph lives, and how it is asked there. */
export interface Connection {
  url: string;
  /** The IRI of the graph that is asked there; "" for the endpoint's default. */
  named_graph: string;
  /** Of names and texts, the best first. */
  languages: string[];
  hops: number;
  /** Facts that are pulled for a question at most. */
  max_triples: number;
  /** Facts of one entity and direction at most. */
  per_entity: number;
  /** Seconds for one query. */
  timeout: number;
}

/** A connection, and what its last check found. */
export interface Endpoint extends Connection {
  checked_at: string;
  took_ms: number | null;
  /** Something there has a name in these languages. */
  named: boolean;
  error: Problem | null;
}
