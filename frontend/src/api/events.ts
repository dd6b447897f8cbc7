// The events of a run and their parts, by the names that the pages use: the schema's, which are the engine's.
import type { components } from "./generated/schema";

type Schemas = components["schemas"];

/** An event as it comes over the socket. A closed union: a switch over `type` is complete. */
export type RunEvent = Schemas["Event"];

export type Envelope = Schemas["Envelope"];
export type AgentStep = Schemas["AgentStep"];
export type QuestionRewritten = Schemas["QuestionRewritten"];
export type RunStarted = Schemas["RunStarted"];
export type RouterDecided = Schemas["RouterDecided"];
export type SimilarityExpanded = Schemas["SimilarityExpanded"];
export type SubgraphExtracted = Schemas["SubgraphExtracted"];

export type AgentAction = Schemas["AgentAction"];
export type Answer = Schemas["Answer"];
export type AnswerFinal = Schemas["AnswerFinal"];
export type AnswerLimit = Schemas["AnswerLimit"];
export type AnswerTable = Schemas["AnswerTable"];
export type Citation = Schemas["Citation"];
export type EvidenceChain = Schemas["EvidenceChain"];
export type Hop = Schemas["Hop"];
export type LinkedEntity = Schemas["LinkedEntity"];
export type NoAnswer = Schemas["NoAnswer"];
export type NoAnswerReason = Schemas["NoAnswerReason"];
export type Node = Schemas["Node"];
export type NodeKind = Node["kind"];
export type ProgramExecuted = Schemas["ProgramExecuted"];
export type ProgramReading = Schemas["ProgramReading"];
export type ProgramStep = Schemas["ProgramStep"];
export type RankedValue = Schemas["RankedValue"];
export type RelationStep = Schemas["RelationStep"];
export type RetrievedPassage = Schemas["RetrievedPassage"];
export type Span = Schemas["Span"];
export type TableCell = Schemas["TableCell"];
export type TableColumn = Schemas["TableColumn"];
export type Usage = Schemas["Usage"];
