// The text and the attributes of a graph: calls and what they answer.
import { post } from "./calls";
import { query } from "./query";
import type { components } from "./generated/schema";
import type { Id, Neighbours } from "./types";

type Schemas = components["schemas"];

export type Attributes = Readonly<Record<string, string>>;

/** A fact as a hop, with its attributes and the passages that it was extracted from. */
export type SourcedHop = Schemas["SourcedHop"];

export type PassageRow = Schemas["PassageRow"];

export type PassageDetail = Schemas["PassageDetail"];

/** Whether facts can be extracted from a graph's text; `missing` says what stands against it. */
export type Extraction = Schemas["Extractable"];

export type ExtractBody = Schemas["ExtractRequest"];

/** Whose questions a language model is asked. */
export type ExtractForm = NonNullable<ExtractBody["form"]>;

export const passagesQuery = (graph: Id, q: string, page: number, page_size: number) =>
  query("graphs/{id}/passages", { id: graph, q, page, page_size }, { keepsLast: true });

export const passageQuery = (graph: Id, passage: number) =>
  query("graphs/{id}/passages/{number}", { id: graph, number: passage }, { staleTime: Infinity });

/** What the snapshot says of an entity beside its facts. */
export const attributesQuery = (graph: Id, snapshot: string | null, entity: number) => ({
  ...query(
    "graphs/{id}/neighbours",
    { id: graph, entity, limit: 1, ...(snapshot && { snapshot }) },
    { staleTime: Infinity },
  ),
  select: ({ node }: Neighbours) => node.attributes,
});

export const factQuery = (graph: Id, snapshot: string | null, head: number, relation: string, tail: number) =>
  query(
    "graphs/{id}/fact",
    { id: graph, head, relation, tail, ...(snapshot && { snapshot }) },
    { staleTime: Infinity, retry: false },
  );

export const extractionQuery = (graph: Id) => query("graphs/{id}/extract", { id: graph }, { retry: false });

export const extract = (graph: Id, body: ExtractBody) => post("graphs/{id}/extract", { id: graph }, body);
