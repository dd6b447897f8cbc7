// The vocabulary of a graph: descriptions, synonyms and units of its relations and kinds.
import { get, post, put, remove, type BodyOf } from "./calls";
import type { components } from "./generated/schema";
import { query } from "./query";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type Term = Schemas["Term"];
export type NewTerm = Schemas["NewTermRequest"];
export type Vocabulary = Schemas["Vocabulary"];

export const vocabularyKey = (graph: Id) => ["graphs", String(graph), "vocabulary"];

export const vocabularyQuery = (graph: Id, hash: string) =>
  query("graphs/{id}/vocabulary", { id: graph }, { of: hash });

export const saveTerm = (graph: Id, term: NewTerm) => put("graphs/{id}/vocabulary", { id: graph }, term);

export const resetTerm = (graph: Id, { category, name }: Pick<Term, "category" | "name">) =>
  remove("graphs/{id}/vocabulary", { id: graph, category, name });

export const exportVocabulary = (graph: Id) => get("graphs/{id}/vocabulary/file", { id: graph });

export const importVocabulary = (graph: Id, body: BodyOf<"post", "graphs/{id}/vocabulary/file">) =>
  post("graphs/{id}/vocabulary/file", { id: graph }, body);
