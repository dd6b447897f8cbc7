// Where a fact comes from, in words: "orders.csv, row 10248", or who added it.
import { useQueries } from "@tanstack/react-query";
import { SOURCES_MAX, factSourcesQuery, type FactSource } from "@/api/provenance";
import type { Id } from "@/api/types";
import { integer } from "@/view/format";

export interface GraphVersion {
  graph: Id;
  /** The hash of the version that the numbers of entities are of; null takes the current one. */
  snapshot: string | null;
}

/** The sources of facts by their keys, those that are known. */
export function useFactSources(
  { graph, snapshot }: GraphVersion,
  facts: readonly string[],
): ReadonlyMap<string, FactSource> {
  const parts = Array.from({ length: Math.ceil(facts.length / SOURCES_MAX) }, (_, part) =>
    facts.slice(part * SOURCES_MAX, (part + 1) * SOURCES_MAX),
  );
  const results = useQueries({ queries: parts.map((part) => factSourcesQuery(graph, snapshot, part)) });
  return new Map(
    results.flatMap(({ data = [] }) => data.flatMap(({ fact, source }) => (source ? [[fact, source]] : []))),
  );
}

function describeSource(source: FactSource): string {
  if (source.type === "file") return source.row === null ? "" : `, row ${integer(source.row)}`;
  const { author } = source;
  if (!author) return `edit ${source.edit ?? ""}`;
  return `${author.person || "a former user"}, ${new Date(author.edited_at).toLocaleDateString()}`;
}

export function FactSourceText({ source }: { source: FactSource }) {
  return (
    <span className="fact-source muted" title={source.author?.reason}>
      {source.type === "file" ? "from " : "added by "}
      {source.type === "file" && <bdi>{source.name}</bdi>}
      {describeSource(source)}
    </span>
  );
}

/** The source of one fact; nothing where it is not known. */
export function FactOrigin({ fact, ...version }: GraphVersion & { fact: string }) {
  const source = useFactSources(version, [fact]).get(fact);
  return source ? (
    <p>
      <FactSourceText source={source} />
    </p>
  ) : null;
}
