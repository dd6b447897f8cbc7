// What the HTTP API answers of evaluations: reports, their questions, and what differs between them.
import type { components } from "./generated/schema";

type Schemas = components["schemas"];

export type Report = Schemas["Report"];
export type ReportDetail = Schemas["ReportDetail"];
export type ReportQuestion = Schemas["ReportQuestion"];
export type ReportBody = Schemas["EvaluateRequest"];
export type ReportComparison = Schemas["Compared"];
export type ChangedQuestion = Schemas["Difference"];
export type Risk = Schemas["Risk"];
export type Judged = Schemas["Judged"];
export type Judgement = Report["judgements"][number];
export type Metrics = Report["metrics"];
export type Quantiles = Schemas["Latency"];
export type Outcome = Schemas["OutcomeEnum"];
