// Studies: many trainings and evaluations asked for together, cell by cell.
import { getFile, post, remove, type BodyOf } from "./calls";
import type { components } from "./generated/schema";
import { query } from "./query";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type Study = Schemas["Study"];
export type StudyDetail = Schemas["StudyDetail"];
export type StudyCell = Schemas["StudyCell"];
export type StudyRow = Schemas["StudyRow"];
export type StudyWinner = Schemas["Winner"];
export type StudyVariant = Schemas["Variant"];
export type StudyBody = BodyOf<"post", "studies">;

export const studyKeys = { studies: ["studies"] } as const;

export const studiesQuery = (page: number, page_size: number, graph: Id | null = null) =>
  query("studies", { page, page_size, graph }, { keepsLast: true });

/** `of` is how many of its cells are done: with each more it is asked for again. */
export const studyQuery = (id: Id, of: string) => query("studies/{id}", { id }, { of, keepsLast: true });

export const startStudy = (body: StudyBody) => post("studies", {}, body);

export const resumeStudy = (id: Id) => post("studies/{id}/resume", { id });

export const deleteStudy = (id: Id) => remove("studies/{id}", { id });

export type StudyPreset = Schemas["Preset"];
export type StudyPlan = Schemas["Plan"];
export type Leaderboard = Schemas["Leaderboard"];
export type Place = Schemas["Place"];

export const presetsQuery = query("studies/presets", {}, { staleTime: Infinity });

export const downloadStudy = (id: Id, format: "csv" | "latex" | "md") =>
  getFile("studies/{id}/download", { id, format });

export const downloadCapsule = (id: Id) => getFile("studies/{id}/capsule", { id });

export const leaderboardQuery = (id: Id, asked: { metric: string; split: string; benchmark: string }) =>
  query("question-sets/{id}/leaderboard", { id, ...asked }, { keepsLast: true });
