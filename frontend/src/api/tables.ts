// Answers that are tables: the facts behind a cell, and the table as a file.
import { query } from "./query";
import { requestFile } from "./client";
import type { Id } from "./types";

/** The facts behind a cell; rows and columns count from 0, as the answer lists them. */
export const cellFactsQuery = (run: Id, row: number, column: number) =>
  query("runs/{id}/table/cell", { id: run, row, column }, { staleTime: Infinity, retry: false });

export function fetchTable(run: Id, format: "csv" | "latex"): Promise<Blob> {
  return requestFile(`runs/${run}/table`, { as: format });
}
