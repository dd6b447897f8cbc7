// What the HTTP API answers, as docs/contracts.md lists it.
import type { Node, NodeKind, Hop, NoAnswer } from "./events";

export type { RunEvent } from "./events";

/** Opaque: a number or a uuid, only ever compared and put back into a URL. */
export type Id = string | number;

export type Role = "viewer" | "analyst" | "admin";

export interface User {
  username: string;
  role: Role;
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
  available: boolean;
}

export interface Status {
  version: string;
  encoder: string;
  workers: { answers: number; jobs: number };
  llm: { configured: boolean; model: string | null };
  methods: MethodInfo[];
  budgets: { default: number; max: number };
  question_max: number;
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
  encoder: string;
  fingerprint: string;
  metrics: Record<string, number>;
  config: Record<string, unknown>;
  question_set: Id | null;
  created_at: string;
}

export interface Graph {
  id: Id;
  name: string;
  description: string;
  state: "importing" | "ready" | "failed";
  index_state: "none" | "building" | "ready";
  entities: number;
  relations: number;
  triples: number;
  snapshot: { hash: string; version: number; created_at: string } | null;
  problems: number;
  checkpoint: Checkpoint | null;
  examples: string[];
  error: Problem | null;
  created_at: string;
  created_by: string | null;
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
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface Job {
  id: Id;
  kind: "import" | "index" | "train";
  title: string;
  state: JobState;
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
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  result: unknown;
}

export type RunState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface Run {
  id: string;
  question: string;
  graph: Id;
  graph_name: string;
  snapshot: string | null;
  method: string;
  reasoner: string;
  checkpoint: Id | null;
  budget: number;
  seed: number;
  state: RunState;
  incomplete: boolean;
  answers: string[];
  answers_count: number;
  no_answer: NoAnswer | null;
  error: Problem | null;
  warning: Problem | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
  user: string | null;
}

export interface EntityMatch {
  id: number;
  label: string;
  kind: NodeKind;
  degree: number;
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
  node: Node;
  groups: NeighbourGroup[];
  hops: Hop[];
  total: number;
  shown: number;
}

export interface AskBody {
  graph: Id;
  question: string;
  method?: string;
  checkpoint?: Id;
  reasoner?: string;
  budget?: number;
  seed?: number;
  entities?: number[];
}
