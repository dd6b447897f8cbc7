// The text and the attributes of a graph: calls and what they answer.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { keys } from "./queries";
import { get, request } from "./client";
import type { Hop, Node } from "./events";
import type { Graph, Id, Job, Page, Problem } from "./types";

export type Attributes = Readonly<Record<string, string>>;

/** A fact as a hop, with its attributes and the passages that it was extracted from. */
export interface SourcedHop extends Hop {
  attributes: Attributes;
  passages: { id: number; name: string; title: string }[];
}

export interface PassageRow {
  id: number;
  name: string;
  title: string;
  document: string;
  url: string;
  excerpt: string;
  facts: number;
}

export interface PassageDetail {
  id: number;
  name: string;
  title: string;
  text: string;
  document: string;
  url: string;
  facts: SourcedHop[];
  total: number;
}

/** Whether facts can be extracted from a graph's text; `missing` says what stands against it. */
export interface Extraction {
  available: boolean;
  passages: number;
  llm: string | null;
  missing: Problem | null;
}

export interface ExtractBody {
  name: string;
  llm?: Id;
  max_tokens?: number;
  max_cost?: number;
}

const of = (graph: Id) => [...keys.graphs, String(graph)];

export const passagesQuery = (graph: Id, q: string, page: number, page_size: number) =>
  queryOptions<Page<PassageRow>>({
    queryKey: [...of(graph), "passages", q, page],
    queryFn: () => get<Page<PassageRow>>(`graphs/${graph}/passages`, { q, page, page_size }),
    placeholderData: keepPreviousData,
  });

export const passageQuery = (graph: Id, passage: number) =>
  queryOptions({
    queryKey: [...of(graph), "passage", passage],
    queryFn: () => get<PassageDetail>(`graphs/${graph}/passages/${passage}`),
    staleTime: Infinity,
  });

/** What the snapshot says of an entity beside its facts. */
export const attributesQuery = (graph: Id, entity: number) =>
  queryOptions({
    queryKey: [...of(graph), "attributes", entity],
    queryFn: () =>
      get<{ node: Node & { attributes?: Attributes } }>(`graphs/${graph}/neighbours`, {
        entity,
        limit: 1,
      }).then((answer) => answer.node.attributes ?? {}),
    staleTime: Infinity,
  });

export const factQuery = (graph: Id, head: number, relation: string, tail: number) =>
  queryOptions({
    queryKey: [...of(graph), "fact", head, relation, tail],
    queryFn: () => get<SourcedHop>(`graphs/${graph}/fact`, { head, relation, tail }),
    staleTime: Infinity,
    retry: false,
  });

export const extractionQuery = (graph: Id) =>
  queryOptions({
    queryKey: [...of(graph), "extract"],
    queryFn: () => get<Extraction>(`graphs/${graph}/extract`),
    retry: false,
  });

export function extract(graph: Id, body: ExtractBody): Promise<{ graph: Graph; job: Job }> {
  return request("POST", `graphs/${graph}/extract`, { body });
}
