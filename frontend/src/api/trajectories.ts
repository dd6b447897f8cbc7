// Trajectories that agents learn from, corrections by people, and what training recorded.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, getFile, post, remove, type BodyOf } from "./calls";
import { keys } from "./queries";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type TrajectorySet = Schemas["TrajectorySet"];

export type Trajectory = Schemas["Trajectory"];

/** An action by labels, as trajectory files have it. */
export type ActionRow = Trajectory["actions"][number];

export type Correction = Schemas["Correction"];

const SETS = ["trajectory-sets"] as const;

export const trajectorySetsQuery = (graph: Id | null) =>
  queryOptions({
    queryKey: [...keys.jobs, ...SETS, String(graph)],
    queryFn: () => get("trajectory-sets", { graph, page_size: 100 }),
  });

export const trajectorySetQuery = (id: Id) =>
  queryOptions({
    queryKey: [...keys.jobs, ...SETS, "one", String(id)],
    queryFn: () => get("trajectory-sets/{id}", { id }),
  });

export interface TrajectoryFilter {
  q: string;
  shortened: boolean;
  page: number;
  page_size: number;
}

export const trajectoriesQuery = (id: Id, { shortened, ...filter }: TrajectoryFilter) =>
  queryOptions({
    queryKey: [...SETS, String(id), shortened, filter],
    queryFn: () => get("trajectory-sets/{id}/trajectories", { id, ...filter, shortened: shortened || null }),
    placeholderData: keepPreviousData,
  });

export const synthesise = (body: BodyOf<"post", "trajectory-sets">) => post("trajectory-sets", {}, body);

export const deleteTrajectorySet = (id: Id) => remove("trajectory-sets/{id}", { id });

export const downloadTrajectories = (id: Id, form: "raw" | "refined") =>
  getFile("trajectory-sets/{id}/download", { id, form });

export const correctionsQuery = (graph: Id | null, page: number, page_size: number) =>
  queryOptions({
    queryKey: [...keys.runs, "corrections", String(graph), page],
    queryFn: () => get("corrections", { graph, page, page_size }),
    placeholderData: keepPreviousData,
  });

export const downloadCorrections = (graph: Id) => getFile("corrections/download", { graph });

/** What each step of a training measured: its stage, its number, and values by name. */
export type CurveRow = Record<string, number>;

export const curvesQuery = (checkpoint: Id) =>
  queryOptions({
    queryKey: [...keys.checkpoints, String(checkpoint), "curves"],
    queryFn: () => get("checkpoints/{id}/curves", { id: checkpoint }),
    staleTime: Infinity,
  });
