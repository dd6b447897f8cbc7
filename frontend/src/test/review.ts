// A path and a question to be reviewed.
import type { Candidate, Item, ItemRow } from "@/api/review";

export function candidateOf(id: number, rest: Partial<Candidate> = {}): Candidate {
  return {
    id,
    topic: "Switzerland",
    path: [["borders", false]],
    steps: [{ name: "borders", label: "borders", inverse: false }],
    sources: [],
    reached: 2,
    hits: 1,
    precision: 0.5,
    recall: 1,
    author: null,
    edited_from: null,
    retired: false,
    executed: null,
    ...rest,
  };
}

export function rowOf(id: number, rest: Partial<ItemRow> = {}): ItemRow {
  return {
    id,
    queue: 1,
    position: 0,
    key: `q${id}`,
    question: "what borders Switzerland?",
    doubt: 1,
    reason: "why",
    state: "open",
    submitted: 0,
    version: 2,
    accord: "none",
    settled: false,
    ...rest,
  };
}

export function itemOf(id: number, rest: Partial<Item> = {}): Item {
  return {
    ...rowOf(id),
    kind: "paths",
    topics: ["Switzerland"],
    answers: ["Germany", "Austria"],
    shown: "hash",
    candidates: [],
    mine: null,
    adjudicated: null,
    assumed: false,
    answered: null,
    suggested: [],
    draft: null,
    decision_draft: null,
    ...rest,
  };
}
