// What the HTTP API answers of evaluations: reports, their questions, and what differs between them.
import type { Id, JobState, Problem } from "./types";

export type Metrics = Record<string, number | null>;

export interface Quantiles {
  p50: number;
  p95: number;
}

/** A question set asked of one method. Empty of figures until its job is done. */
export interface Report {
  id: Id;
  graph: Id;
  graph_name: string;
  snapshot: string;
  question_set: Id | null;
  question_set_name: string;
  split: string;
  method: string;
  checkpoint: Id | null;
  fingerprint: string | null;
  reasoner: string;
  budget: number;
  seed: number;
  limit: number | null;
  topics: "given" | "linked";
  /** Whether a question that brings triples was asked on those alone. */
  subgraphs: "own" | "whole";
  options: Record<string, unknown>;
  state: JobState;
  job: Id | null;
  n: number | null;
  metrics: Metrics;
  latency_ms: Quantiles | null;
  /** Without linking and reasoning. */
  retrieval_ms: Quantiles | null;
  usage: { llm_calls: number; tokens: number } | null;
  error: Problem | null;
  created_at: string;
  finished_at: string | null;
  created_by: string | null;
}

export type Outcome = "right" | "partial" | "wrong" | "no_answer" | "failed";

export interface ReportDetail extends Report {
  intervals: Record<string, [number, number] | null>;
  breakdowns: Record<string, Record<string, Metrics>>;
  outcomes: Partial<Record<Outcome, number>>;
  no_answers: Record<string, unknown>;
  manifest: Record<string, unknown>;
}

export interface ReportQuestion {
  id: string;
  question: string;
  topics: string[];
  linked: boolean;
  answers: string[];
  predicted: string[];
  no_answer: string | null;
  error: string | null;
  hops: number | null;
  outcome: Outcome;
  hit: number | null;
  f1: number | null;
  exact_set: number | null;
  triples: number | null;
  latency_ms: number | null;
  /** The relation paths that were followed, as text, best first. */
  paths: { path: string; score: number }[];
}

export interface ReportBody {
  graph: Id;
  question_set: Id;
  split: string;
  method?: string;
  checkpoint?: Id;
  reasoner?: string;
  llm?: number;
  budget?: number;
  seed?: number;
  limit?: number;
  topics?: "given" | "linked";
  subgraphs?: "own" | "whole";
  options?: Record<string, unknown>;
}

export interface ReportComparison {
  reports: ReportDetail[];
  metrics: { name: string; values: { value: number | null; low: number | null; high: number | null }[] }[];
  pairs: { a: Id; b: Id; gained: number; lost: number; changed: number }[];
}

export interface ChangedQuestion {
  id: string;
  question: string;
  hops: number | null;
  answers: string[];
  change: "gained" | "lost" | "changed";
  a: ReportQuestion;
  b: ReportQuestion;
}
