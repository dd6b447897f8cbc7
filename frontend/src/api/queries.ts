// Every call the pages make, by name, with the keys their cached answers live under.
import { queryOptions } from "@tanstack/react-query";
import { get, getFile, post, remove, type BodyOf } from "./calls";
import { query } from "./query";
import { ApiError, setCsrf, upload } from "./client";
import type { ReportBody } from "./reportTypes";
import type { AskBody, CompareBody, Id, Job, Session, SteerBody, TrainBody } from "./types";

export const keys = {
  session: ["session"],
  status: ["status"],
  graphs: ["graphs"],
  questionSets: ["question-sets"],
  checkpoints: ["checkpoints"],
  jobs: ["jobs"],
  methods: ["methods"],
  labelSets: ["label-sets"],
  reports: ["reports"],
  comparisons: ["comparisons"],
  runs: ["runs"],
} as const;

async function session(call: Promise<Session>): Promise<Session> {
  const answer = await call;
  setCsrf(answer.csrf);
  return answer;
}

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: () => session(get("session")),
  staleTime: Infinity,
});

export function logIn(username: string, password: string): Promise<Session> {
  return session(post("session", {}, { username, password }));
}

/** Gives oneself another password; all other sessions end. */
export function changePassword(old_password: string, new_password: string): Promise<Session> {
  const body = { old_password, new_password };
  return session(post("session/password", {}, body));
}

export const logOut = () => remove("session");

export const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: ({ signal }) => get("status", {}, { signal, patience: 10_000 }),
  // Workers come and go without an event; half a minute is soon enough to say so. A server that is away is looked for
  // more often, and found away at once: this is what the dot at the top shows.
  refetchInterval: ({ state }) => (state.error ? 3_000 : 30_000),
  staleTime: 5_000,
  retry: false,
});

/** Whether there was no answer, so that nobody knows whether the server got what was sent. */
export function isAway(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 0;
}

export const graphsQuery = query("graphs", { page_size: 200 });

export const graphQuery = (id: Id) => query("graphs/{id}", { id });

export const problemsQuery = (id: Id, page: number) =>
  query("graphs/{id}/problems", { id, page, page_size: 25 }, { keepsLast: true });

export const entitiesQuery = (graph: Id | null, q: string, limit = 8) =>
  query(
    "graphs/{id}/entities",
    { id: String(graph), q, limit },
    { enabled: graph !== null && q.trim().length > 0, staleTime: 60_000, keepsLast: true, stops: true },
  );

export interface NeighbourQuery {
  entity: number;
  relation?: string | undefined;
  direction?: "out" | "in" | undefined;
  limit: number;
  offset?: number | undefined;
  /** Hash of a version; the current one without it. */
  snapshot?: string | undefined;
}

export const neighbours = (graph: Id, asked: NeighbourQuery) =>
  get("graphs/{id}/neighbours", { id: graph, ...asked });

export const neighboursQuery = (graph: Id, asked: NeighbourQuery) =>
  query("graphs/{id}/neighbours", { id: graph, ...asked }, { staleTime: 60_000, keepsLast: true });

/** Of uploads that have arrived. */
export const createGraph = (body: BodyOf<"post", "graphs">) => post("graphs", {}, body);

export const deleteGraph = (id: Id, confirm: string) => remove("graphs/{id}", { id, confirm });

/** Builds what is missing of a graph's index. */
export const indexGraph = (id: Id) => post("graphs/{id}/index", { id });

/** Of one graph, or of all when it is null. */
export const questionSetsQuery = (graph: Id | null) => query("question-sets", { graph, page_size: 200 });

/** Of an upload that has arrived. */
export const createQuestionSet = (body: BodyOf<"post", "question-sets">) => post("question-sets", {}, body);

export const deleteQuestions = (id: Id) => remove("question-sets/{id}", { id });

export const checkpointsQuery = (graph: Id) => query("checkpoints", { graph, page_size: 100 });

export const deleteCheckpoint = (id: Id) => remove("checkpoints/{id}", { id });

export const downloadCheckpoint = (id: Id) => getFile("checkpoints/{id}/download", { id });

export function uploadCheckpoint(
  graph: Id,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Job> {
  const form = new FormData();
  form.set("graph", String(graph));
  form.set("file", file);
  return upload("checkpoints", form, onProgress, signal);
}

export const compareCheckpoint = (id: Id, question_set: number) =>
  post("checkpoints/{id}/compare", { id }, { question_set });

export const promoteCheckpoint = (id: Id) => post("checkpoints/{id}/promote", { id });

/** Back to what a method used before its last promotion; nothing comes where that is no checkpoint. */
export const rollBack = (graph: Id, method: string) =>
  post("graphs/{id}/rollback", { id: graph }, { method });

export const promotionsQuery = (graph: Id) =>
  query("graphs/{id}/promotions", { id: graph, page_size: 50 }, { under: keys.checkpoints });

export const methodQuery = (id: string) => query("methods/{name}", { name: id }, { staleTime: Infinity });

export const train = (graph: Id, body: TrainBody) => post("graphs/{id}/train", { id: graph }, body);

export const labelSetsQuery = (graph: Id) => query("label-sets", { graph, page_size: 100 });

export const label = (body: BodyOf<"post", "label-sets">) => post("label-sets", {}, body);

export const combineLabelSets = (body: BodyOf<"post", "label-sets/combine">) =>
  post("label-sets/combine", {}, body);

export const deleteLabelSet = (id: Id) => remove("label-sets/{id}", { id });

export const downloadLabelSet = (id: Id) => getFile("label-sets/{id}/download", { id });

export interface ReportFilter {
  graph?: string;
  question_set?: string;
  method?: string;
  split?: string;
  checkpoint?: string;
  page?: number;
  page_size?: number;
}

export const reportsQuery = (filter: ReportFilter) =>
  query("reports", { page_size: 50, ...filter }, { keepsLast: true });

export const reportQuery = (id: Id) => query("reports/{id}", { id });

export interface RowFilter {
  outcome?: string;
  hops?: string;
  cause?: string;
  q?: string;
  page: number;
  page_size: number;
}

export const reportQuestionsQuery = (id: Id, filter: RowFilter) =>
  query("reports/{id}/questions", { id, ...filter }, { keepsLast: true });

export const evaluate = (body: ReportBody) => post("reports", {}, body);

export const resumeReport = (id: Id) => post("reports/{id}/resume", { id });

export const deleteReport = (id: Id) => remove("reports/{id}", { id });

export const downloadReport = (id: Id, format: "json" | "csv" | "md" | "html") =>
  getFile("reports/{id}/download", { id, format });

export const compareReportsQuery = (ids: readonly string[]) =>
  query("reports/compare", { ids: ids.join(",") });

export interface ChangeFilter {
  change?: string;
  q?: string;
  page: number;
  page_size: number;
}

export const changedQuestionsQuery = (a: string, b: string, filter: ChangeFilter) =>
  query("reports/compare/questions", { ids: `${a},${b}`, ...filter }, { keepsLast: true });

export const compareMethods = (body: CompareBody) => post("comparisons", {}, body);

export const runGroupQuery = (id: string) => query("comparisons/{id}", { id });

export const listJobs = () => get("jobs", { page_size: 50 });

export const cancelJob = (id: Id) => post("jobs/{id}/cancel", { id });

/** Does after all what failed or was stopped. */
export const retryJob = (id: Id) => post("jobs/{id}/retry", { id }, {});

export const jobLogQuery = (id: Id) => query("jobs/{id}/log", { id });

export interface RunFilter {
  q?: string;
  graph?: string;
  state?: string;
  /** A question and its follow-ups. */
  thread?: string;
  /** Everybody's, for administrators. */
  all?: boolean;
  page?: number;
  page_size?: number;
}

export const runsQuery = (filter: RunFilter) =>
  query("runs", { page_size: 25, ...filter }, { keepsLast: true });

export const runQuery = (id: string) => query("runs/{id}", { id });

export const ask = (body: AskBody) => post("runs", {}, body, { patience: 30_000 });

/** Whether nothing could be sent at all. */
export function isOffline(error: Error | null): boolean {
  return isAway(error) && (error as ApiError).code === "offline";
}

/** The run that was kept although it could not be handed to a worker yet; null for other errors. */
export function keptRun(error: Error | null): string | null {
  const { run } = ((error instanceof ApiError ? error.body : null) ?? {}) as { run?: unknown };
  return typeof run === "string" ? run : null;
}

export const stopRun = (id: string) => post("runs/{id}/cancel", { id });

export const pauseRun = (id: string) => post("runs/{id}/pause", { id });

export const steerRun = (id: string, body: SteerBody) => post("runs/{id}/steer", { id }, body);

export const deleteRun = (id: string) => remove("runs/{id}", { id });

export const exportRun = (id: string) => get("runs/{id}/export", { id });

/** W3C PROV-O: what was used, and from which facts and files the answers are derived. */
export const downloadProvenance = (id: string) => getFile("runs/{id}/provenance", { id, format: "turtle" });
