// The text and the attributes of a graph: calls and what they answer.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, post } from "./calls";
import { keys } from "./queries";
import type { components } from "./generated/schema";
import type { Id } from "./types";

type Schemas = components["schemas"];

export type Attributes = Readonly<Record<string, string>>;

/** A fact as a hop, with its attributes and the passages that it was extracted from. */
export type SourcedHop = Schemas["SourcedHop"];

export type PassageRow = Schemas["PassageRow"];

export type PassageDetail = Schemas["PassageDetail"];

/** Whether facts can be extracted from a graph's text; `missing` says what stands against it. */
export type Extraction = Schemas["Extractable"];

export type ExtractBody = Schemas["ExtractRequest"];

const of = (graph: Id) => [...keys.graphs, String(graph)];

export const passagesQuery = (graph: Id, q: string, page: number, page_size: number) =>
  queryOptions({
    queryKey: [...of(graph), "passages", q, page],
    queryFn: () => get("graphs/{id}/passages", { id: graph, q, page, page_size }),
    placeholderData: keepPreviousData,
  });

export const passageQuery = (graph: Id, passage: number) =>
  queryOptions({
    queryKey: [...of(graph), "passage", passage],
    queryFn: () => get("graphs/{id}/passages/{number}", { id: graph, number: passage }),
    staleTime: Infinity,
  });

/** What the snapshot says of an entity beside its facts. */
export const attributesQuery = (graph: Id, entity: number) =>
  queryOptions({
    queryKey: [...of(graph), "attributes", entity],
    queryFn: () =>
      get("graphs/{id}/neighbours", { id: graph, entity, limit: 1 }).then((answer) => answer.node.attributes),
    staleTime: Infinity,
  });

export const factQuery = (graph: Id, head: number, relation: string, tail: number) =>
  queryOptions({
    queryKey: [...of(graph), "fact", head, relation, tail],
    queryFn: () => get("graphs/{id}/fact", { id: graph, head, relation, tail }),
    staleTime: Infinity,
    retry: false,
  });

export const extractionQuery = (graph: Id) =>
  queryOptions({
    queryKey: [...of(graph), "extract"],
    queryFn: () => get("graphs/{id}/extract", { id: graph }),
    retry: false,
  });

export const extract = (graph: Id, body: ExtractBody) => post("graphs/{id}/extract", { id: graph }, body);
