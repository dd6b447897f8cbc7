// What the HTTP API takes and answers, by the names that the pages use: the schema's, but for a few.
import type { components } from "./generated/schema";

export type { RunEvent } from "./events";

type Schemas = components["schemas"];

/** Opaque: a number or a uuid, only ever compared and put back into a URL. */
export type Id = string | number;

export interface Page<T> {
  readonly count: number;
  readonly next?: string | null;
  readonly previous?: string | null;
  readonly results: readonly T[];
}

export type Role = Schemas["RoleEnum"];
export type User = Schemas["User"];
export type Session = Schemas["Session"];
export type Problem = Schemas["Error"];
export type Status = Schemas["Status"];
export type Trouble = Schemas["Trouble"];
export type MethodInfo = Schemas["Method"];
export type MethodDetail = Schemas["MethodDetail"];
/** One setting of a method's training; a value must keep to `least`, `above` and `below` where they are set. */
export type Setting = Schemas["Setting"];
export type LabelStrategy = Schemas["LabelStrategy"];
export type LabelSet = Schemas["LabelSet"];
export type Checkpoint = Schemas["Checkpoint"];
export type CheckpointGain = Schemas["CheckpointGain"];
export type Promotion = Schemas["Promotion"];
export type Visibility = Schemas["VisibilityEnum"];
export type Graph = Schemas["Graph"];
export type Endpoint = Schemas["Endpoint"];
export type Connection = Required<Omit<Schemas["NewEndpointRequest"], "name" | "description" | "visibility">>;
export type RowProblem = Schemas["Problem"];
export type QuestionSet = Schemas["QuestionSet"];
export type Job = Schemas["Job"];
export type JobStage = Schemas["Stage"];
export type JobState = Schemas["WorkStateEnum"];
export type RunState = Schemas["RunStateEnum"];
/** What people doubt of it is not in lists, nor the program that a person gave it. */
export type Run = Schemas["Run"] &
  Partial<Pick<Schemas["RunDetail"], "flags" | "program" | "corrects" | "follows">>;
export type RunGroup = Schemas["RunGroup"];
export type Flag = Schemas["Flag"];
export type FlagKind = Schemas["FlagKindEnum"];
export type LLMUsage = Schemas["LLMUsage"];
export type EntityMatch = Schemas["Entity"];
export type NeighbourGroup = Schemas["Group"];
export type Neighbours = Schemas["Neighbours"];
export type CompareBody = Schemas["CompareRequest"];
export type AskBody = Schemas["AskRequest"];
export type TrainBody = Schemas["TrainRequest"];
/** How an agent goes on: `keep` of its steps stay; 0 for `pause_after` with no action only takes back. */
export type SteerBody = Schemas["SteerRequest"];

/** What is imported: uploads by id, and paths or addresses that the operator allows. */
export type From = Required<Pick<Schemas["PreviewRequestRequest"], "uploads" | "sources">>;
export type QuestionReading = Pick<Schemas["QuestionUploadRequest"], "format" | "encoding">;
/** How files are read; what is left out is guessed. */
export type Reading = Pick<
  Schemas["UploadRequest"],
  "format" | "delimiter" | "header" | "encoding" | "columns"
>;
