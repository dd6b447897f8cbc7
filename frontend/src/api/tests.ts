// Tests of a graph: questions with the answers that they must have, and the rounds in which they are asked.
import { get, patch, post, remove, type BodyOf } from "./calls";
import { query } from "./query";
import { keys } from "./queries";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type GraphTest = Schemas["Test"];
export type TestResult = Schemas["Result"];
export type TestRound = Schemas["Round"];
export type TestRoundDetail = Schemas["RoundDetail"];
export type NewTest = Schemas["NewTestRequest"];

export const testsQuery = (graph: Id) => query("graphs/{id}/tests", { id: graph });

/** Rounds change with their jobs, and their graphs are told of both. */
export const roundsQuery = (graph: Id, page_size = 20) =>
  query("test-rounds", { graph, page_size }, { under: keys.graphs });

export const roundQuery = (id: Id) => query("test-rounds/{id}", { id }, { under: keys.graphs });

export const keepTests = (graph: Id, body: BodyOf<"post", "graphs/{id}/tests">) =>
  post("graphs/{id}/tests", { id: graph }, body);

export const changeTest = (id: Id, expected: string[]) => patch("tests/{id}", { id }, { expected });

export const removeTest = (id: Id) => remove("tests/{id}", { id });

export const askTests = (graph: Id, tests: number[] = []) =>
  post("graphs/{id}/tests/ask", { id: graph }, { tests });

export const setHold = (graph: Id, hold: boolean) =>
  patch("graphs/{id}/tests/policy", { id: graph }, { hold });

export const acceptRound = (id: Id) => post("test-rounds/{id}/accept", { id });

/** All of a graph's tests, as they are taken in again. */
export const exportTests = (graph: Id) => get("graphs/{id}/tests/download", { id: graph });

export type Watch = Schemas["Watch"];
export type Moment = Schemas["Moment"];

/** What one watches; it changes with its graphs. */
export const watchesQuery = query("watches", {}, { under: keys.graphs });

export const watch = (run: string) => post("watches", {}, { run });

export const seenWatch = (id: Id) => post("watches/{id}", { id });

export const stopWatching = (id: Id) => remove("watches/{id}", { id });

export const historyQuery = (test: Id) => query("tests/{id}/history", { id: test }, { under: keys.graphs });

export const askThroughTime = (test: Id) => post("tests/{id}/through-time", { id: test });
