// Every call the pages make, by name, with the keys their cached answers live under.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError, get, request, requestFile, setCsrf } from "./client";
import type {
  ChangedQuestion,
  Report,
  ReportBody,
  ReportComparison,
  ReportDetail,
  ReportQuestion,
} from "./reportTypes";
import type {
  AskBody,
  Checkpoint,
  CompareBody,
  EntityMatch,
  From,
  Graph,
  Id,
  Job,
  LabelSet,
  MethodDetail,
  Neighbours,
  Page,
  Promotion,
  QuestionSet,
  Reading,
  RowProblem,
  Run,
  RunEvent,
  RunGroup,
  Session,
  Status,
  SteerBody,
  TrainBody,
  Visibility,
} from "./types";

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
  queryFn: () => session(get<Session>("session")),
  staleTime: Infinity,
});

export function logIn(username: string, password: string): Promise<Session> {
  return session(request<Session>("POST", "session", { body: { username, password } }));
}

/** Gives oneself another password; all other sessions end. */
export function changePassword(old_password: string, new_password: string): Promise<Session> {
  const body = { old_password, new_password };
  return session(request<Session>("POST", "session/password", { body }));
}

export function logOut(): Promise<void> {
  return request("DELETE", "session");
}

export const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: ({ signal }) => request<Status>("GET", "status", { signal, patience: 10_000 }),
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

export const graphsQuery = queryOptions({
  queryKey: keys.graphs,
  queryFn: () => get<Page<Graph>>("graphs", { page_size: 200 }),
});

export const graphQuery = (id: Id) =>
  queryOptions({ queryKey: [...keys.graphs, String(id)], queryFn: () => get<Graph>(`graphs/${id}`) });

export const problemsQuery = (id: Id, page: number) =>
  queryOptions<Page<RowProblem>>({
    queryKey: [...keys.graphs, String(id), "problems", page],
    queryFn: () => get<Page<RowProblem>>(`graphs/${id}/problems`, { page, page_size: 25 }),
    placeholderData: keepPreviousData,
  });

export const entitiesQuery = (graph: Id | null, q: string, limit = 8) =>
  queryOptions<EntityMatch[]>({
    queryKey: [...keys.graphs, String(graph), "entities", q, limit],
    queryFn: ({ signal }) =>
      get<EntityMatch[] | Page<EntityMatch>>(`graphs/${String(graph)}/entities`, { q, limit }, signal).then(
        (answer) => (Array.isArray(answer) ? answer : answer.results),
      ),
    enabled: graph !== null && q.trim().length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

export interface NeighbourQuery {
  entity: number;
  relation?: string | undefined;
  direction?: "out" | "in" | undefined;
  limit: number;
  offset?: number | undefined;
}

export function neighbours(graph: Id, query: NeighbourQuery): Promise<Neighbours> {
  return get(`graphs/${graph}/neighbours`, { ...query });
}

export const neighboursQuery = (graph: Id, query: NeighbourQuery) =>
  queryOptions<Neighbours>({
    queryKey: [...keys.graphs, String(graph), "neighbours", query],
    queryFn: () => neighbours(graph, query),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

/** Of uploads that have arrived. */
export function createGraph(body: { name: string; visibility: Visibility } & From & Reading) {
  return request<{ graph: Graph; job: Job }>("POST", "graphs", { body });
}

export function deleteGraph(id: Id, confirm: string): Promise<void> {
  return request("DELETE", `graphs/${id}`, { query: { confirm } });
}

/** Builds what is missing of a graph's index. */
export function indexGraph(id: Id): Promise<Job> {
  return request("POST", `graphs/${id}/index`);
}

/** Of one graph, or of all when it is null. */
export const questionSetsQuery = (graph: Id | null) =>
  queryOptions({
    queryKey: [...keys.questionSets, String(graph)],
    queryFn: () => get<Page<QuestionSet>>("question-sets", { graph, page_size: 200 }),
  });

/** Of an upload that has arrived. */
export function createQuestionSet(body: { name: string; graph: Id; upload: string } & Reading) {
  return request<QuestionSet>("POST", "question-sets", { body });
}

export function deleteQuestions(id: Id): Promise<void> {
  return request("DELETE", `question-sets/${id}`);
}

export const checkpointsQuery = (graph: Id) =>
  queryOptions({
    queryKey: [...keys.checkpoints, String(graph)],
    queryFn: () => get<Page<Checkpoint>>("checkpoints", { graph, page_size: 100 }),
  });

export function deleteCheckpoint(id: Id): Promise<void> {
  return request("DELETE", `checkpoints/${id}`);
}

export function promoteCheckpoint(id: Id): Promise<Checkpoint> {
  return request("POST", `checkpoints/${id}/promote`);
}

/** Back to what a method used before its last promotion. */
export function rollBack(graph: Id, method: string): Promise<Checkpoint> {
  return request("POST", `graphs/${graph}/rollback`, { body: { method } });
}

export const promotionsQuery = (graph: Id) =>
  queryOptions({
    queryKey: [...keys.checkpoints, String(graph), "promotions"],
    queryFn: () => get<Page<Promotion>>(`graphs/${graph}/promotions`, { page_size: 50 }),
  });

export const methodQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.methods, id],
    queryFn: () => get<MethodDetail>(`methods/${id}`),
    staleTime: Infinity,
  });

export function train(graph: Id, body: TrainBody): Promise<Job> {
  return request("POST", `graphs/${graph}/train`, { body });
}

export const labelSetsQuery = (graph: Id) =>
  queryOptions({
    queryKey: [...keys.labelSets, String(graph)],
    queryFn: () => get<Page<LabelSet>>("label-sets", { graph, page_size: 100 }),
  });

export function label(body: { graph: Id; question_set: Id; strategy: string; name?: string }) {
  return request<{ label_set: LabelSet; job: Job }>("POST", "label-sets", { body });
}

export function deleteLabelSet(id: Id): Promise<void> {
  return request("DELETE", `label-sets/${id}`);
}

export function downloadLabelSet(id: Id): Promise<Blob> {
  return requestFile(`label-sets/${id}/download`);
}

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
  queryOptions<Page<Report>>({
    queryKey: [...keys.reports, "list", filter],
    queryFn: () => get<Page<Report>>("reports", { page_size: 50, ...filter }),
    placeholderData: keepPreviousData,
  });

export const reportQuery = (id: Id) =>
  queryOptions({
    queryKey: [...keys.reports, String(id)],
    queryFn: () => get<ReportDetail>(`reports/${id}`),
  });

export interface RowFilter {
  outcome?: string;
  hops?: string;
  q?: string;
  page: number;
  page_size: number;
}

export const reportQuestionsQuery = (id: Id, filter: RowFilter) =>
  queryOptions<Page<ReportQuestion>>({
    queryKey: [...keys.reports, String(id), "questions", filter],
    queryFn: () => get<Page<ReportQuestion>>(`reports/${id}/questions`, { ...filter }),
    placeholderData: keepPreviousData,
  });

export function evaluate(body: ReportBody): Promise<{ report: Report; job: Job }> {
  return request("POST", "reports", { body });
}

export function resumeReport(id: Id): Promise<{ report: Report; job: Job }> {
  return request("POST", `reports/${id}/resume`);
}

export function deleteReport(id: Id): Promise<void> {
  return request("DELETE", `reports/${id}`);
}

export function downloadReport(id: Id, format: "json" | "md" | "html"): Promise<Blob> {
  return requestFile(`reports/${id}/download`, { format });
}

export const compareReportsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.reports, "compare", ids],
    queryFn: () => get<ReportComparison>("reports/compare", { ids: ids.join(",") }),
  });

export interface ChangeFilter {
  change?: string;
  q?: string;
  page: number;
  page_size: number;
}

export const changedQuestionsQuery = (a: string, b: string, filter: ChangeFilter) =>
  queryOptions<Page<ChangedQuestion>>({
    queryKey: [...keys.reports, "compare", a, b, filter],
    queryFn: () => get<Page<ChangedQuestion>>("reports/compare/questions", { ids: `${a},${b}`, ...filter }),
    placeholderData: keepPreviousData,
  });

export function compareMethods(body: CompareBody): Promise<RunGroup> {
  return request("POST", "comparisons", { body });
}

export const runGroupQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.comparisons, id],
    queryFn: () => get<RunGroup>(`comparisons/${id}`),
  });

export function listJobs(): Promise<Page<Job>> {
  return get("jobs", { page_size: 50 });
}

export function cancelJob(id: Id): Promise<Job> {
  return request("POST", `jobs/${id}/cancel`);
}

/** Does after all what failed or was stopped. */
export function retryJob(id: Id): Promise<Job> {
  return request("POST", `jobs/${id}/retry`, { body: {} });
}

export const jobLogQuery = (id: Id) =>
  queryOptions({
    queryKey: [...keys.jobs, String(id), "log"],
    queryFn: () => get<{ at: string; level: "info" | "warning" | "error"; text: string }[]>(`jobs/${id}/log`),
  });

export interface RunFilter {
  q?: string;
  graph?: string;
  state?: string;
  /** Everybody's, for administrators. */
  all?: boolean;
  page?: number;
  page_size?: number;
}

export const runsQuery = (filter: RunFilter) =>
  queryOptions<Page<Run>>({
    queryKey: [...keys.runs, filter],
    queryFn: () => get<Page<Run>>("runs", { page_size: 25, ...filter }),
    placeholderData: keepPreviousData,
  });

export const runQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.runs, id], queryFn: () => get<Run>(`runs/${id}`) });

export function ask(body: AskBody): Promise<Run> {
  return request("POST", "runs", { body, patience: 30_000 });
}

/** Whether nothing could be sent at all. */
export function isOffline(error: Error | null): boolean {
  return isAway(error) && (error as ApiError).code === "offline";
}

/** The run that was kept although it could not be handed to a worker yet; null for other errors. */
export function keptRun(error: Error | null): string | null {
  const { run } = ((error instanceof ApiError ? error.body : null) ?? {}) as { run?: unknown };
  return typeof run === "string" ? run : null;
}

export function stopRun(id: string): Promise<Run> {
  return request("POST", `runs/${id}/cancel`);
}

export function pauseRun(id: string): Promise<Run> {
  return request("POST", `runs/${id}/pause`);
}

export function steerRun(id: string, body: SteerBody): Promise<Run> {
  return request("POST", `runs/${id}/steer`, { body });
}

export function deleteRun(id: string): Promise<void> {
  return request("DELETE", `runs/${id}`);
}

export function exportRun(id: string): Promise<{ run: Run; events: RunEvent[] }> {
  return get(`runs/${id}/export`);
}
