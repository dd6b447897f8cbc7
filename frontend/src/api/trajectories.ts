// Trajectories that agents learn from, corrections by people, and what training recorded.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, request, requestFile } from "./client";
import type { AgentAction } from "./events";
import { keys } from "./queries";
import type { Id, Job, JobState, Page, Problem } from "./types";

export interface TrajectorySet {
  id: Id;
  name: string;
  graph: Id;
  graph_name: string;
  question_set: Id | null;
  question_set_name: string;
  policy: string;
  settings: { samples: number; astray: number; match: number; seed: number };
  state: JobState;
  job: Id | null;
  questions: number;
  answered: number;
  trajectories: number;
  /** Steps of all trajectories together, before and after refinement. */
  raw_steps: number;
  refined_steps: number;
  error: Problem | null;
  created_at: string;
  created_by: string | null;
}

/** An action by labels, as trajectory files have it. */
export interface ActionRow {
  kind: AgentAction["kind"];
  front?: number;
  entities?: string[];
  relations?: [name: string, inverse: boolean][];
  triples?: [source: string, relation: string, inverse: boolean, target: string][];
}

export interface Trajectory {
  id: string;
  question: string;
  question_id: string;
  topics: string[];
  answers: string[];
  actions: ActionRow[];
  /** Positions in `actions` that refinement left. */
  kept: number[];
  behaviour: string;
  score: number;
}

export interface Correction {
  id: Id;
  run: string;
  graph: Id;
  graph_name: string;
  question: string;
  step: number;
  proposed: AgentAction | null;
  chosen: AgentAction;
  state: "kept" | "open" | "undone";
  user: string | null;
  at: string;
}

const SETS = ["trajectory-sets"] as const;

export const trajectorySetsQuery = (graph: Id | null) =>
  queryOptions({
    queryKey: [...keys.jobs, ...SETS, String(graph)],
    queryFn: () => get<Page<TrajectorySet>>("trajectory-sets", { graph, page_size: 100 }),
  });

export const trajectorySetQuery = (id: Id) =>
  queryOptions({
    queryKey: [...keys.jobs, ...SETS, "one", String(id)],
    queryFn: () => get<TrajectorySet>(`trajectory-sets/${id}`),
  });

export interface TrajectoryFilter {
  q: string;
  shortened: boolean;
  page: number;
  page_size: number;
}

export const trajectoriesQuery = (id: Id, { shortened, ...filter }: TrajectoryFilter) =>
  queryOptions<Page<Trajectory>>({
    queryKey: [...SETS, String(id), shortened, filter],
    queryFn: () =>
      get<Page<Trajectory>>(`trajectory-sets/${id}/trajectories`, {
        ...filter,
        ...(shortened && { shortened: "1" }),
      }),
    placeholderData: keepPreviousData,
  });

export function synthesise(body: {
  graph: Id;
  question_set: Id;
  policy: string;
  samples: number;
  astray: number;
}): Promise<{ trajectory_set: TrajectorySet; job: Job }> {
  return request("POST", "trajectory-sets", { body });
}

export function deleteTrajectorySet(id: Id): Promise<void> {
  return request("DELETE", `trajectory-sets/${id}`);
}

export function downloadTrajectories(id: Id, form: "raw" | "refined"): Promise<Blob> {
  return requestFile(`trajectory-sets/${id}/download`, { form });
}

export const correctionsQuery = (graph: Id | null, page: number, page_size: number) =>
  queryOptions<Page<Correction>>({
    queryKey: [...keys.runs, "corrections", String(graph), page],
    queryFn: () => get<Page<Correction>>("corrections", { graph, page, page_size }),
    placeholderData: keepPreviousData,
  });

export function downloadCorrections(graph: Id): Promise<Blob> {
  return requestFile("corrections/download", { graph });
}

/** What each step of a training measured: its stage, its number, and values by name. */
export type CurveRow = Record<string, number>;

export const curvesQuery = (checkpoint: Id) =>
  queryOptions({
    queryKey: [...keys.checkpoints, String(checkpoint), "curves"],
    queryFn: () => get<CurveRow[]>(`checkpoints/${checkpoint}/curves`),
    staleTime: Infinity,
  });
