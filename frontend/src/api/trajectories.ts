// Trajectories that agents learn from, corrections by people, and what training recorded.
import { getFile, post, remove, type BodyOf } from "./calls";
import { query } from "./query";
import { keys } from "./queries";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type TrajectorySet = Schemas["TrajectorySet"];

export type Trajectory = Schemas["Trajectory"];

/** An action by labels, as trajectory files have it. */
export type ActionRow = Trajectory["actions"][number];

export type Correction = Schemas["Correction"];

export const trajectorySetsQuery = (graph: Id | null) =>
  query("trajectory-sets", { graph, page_size: 100 }, { under: keys.jobs });

export const trajectorySetQuery = (id: Id) => query("trajectory-sets/{id}", { id }, { under: keys.jobs });

export interface TrajectoryFilter {
  q: string;
  shortened: boolean;
  page: number;
  page_size: number;
}

export const trajectoriesQuery = (id: Id, { shortened, ...filter }: TrajectoryFilter) =>
  query(
    "trajectory-sets/{id}/trajectories",
    { id, ...filter, shortened: shortened || null },
    { keepsLast: true },
  );

export const synthesise = (body: BodyOf<"post", "trajectory-sets">) => post("trajectory-sets", {}, body);

export const deleteTrajectorySet = (id: Id) => remove("trajectory-sets/{id}", { id });

export const downloadTrajectories = (id: Id, form: "raw" | "refined") =>
  getFile("trajectory-sets/{id}/download", { id, form });

export const correctionsQuery = (graph: Id | null, page: number, page_size: number) =>
  query("corrections", { graph, page, page_size }, { under: keys.runs, keepsLast: true });

/** Programs that people ran in place of what was read and that stand: a training learns from them. */
export const keptProgramsQuery = (graph: Id) =>
  query("graphs/{id}/program-corrections", { id: graph, kept: true, page_size: 1 }, { under: keys.runs });

export const downloadCorrections = (graph: Id) => getFile("corrections/download", { graph });

/** What each step of a training measured: its stage, its number, and values by name. */
export type CurveRow = Record<string, number>;

export const curvesQuery = (checkpoint: Id) =>
  query("checkpoints/{id}/curves", { id: checkpoint }, { staleTime: Infinity });
