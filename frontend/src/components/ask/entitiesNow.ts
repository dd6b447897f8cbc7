// The numbers of entities are those of one version of a graph: in another they may be of others.
import type { QueryClient } from "@tanstack/react-query";
import { entitiesQuery } from "@/api/queries";
import type { Graph, Run } from "@/api/types";
import { nameList } from "@/view/nameList";

interface Entity {
  id: number;
  label: string;
}

interface Now {
  found: readonly Entity[];
  /** Names that the current version has no entity of. */
  gone: readonly string[];
}

/** Entities that a run knows, as the current version of its graph has them: by their names where it is another one. */
export async function entitiesNow(
  client: QueryClient,
  run: Pick<Run, "snapshot">,
  graph: Pick<Graph, "id" | "snapshot">,
  known: readonly Entity[],
): Promise<Now> {
  if ((graph.snapshot?.hash ?? "") === run.snapshot) return { found: known, gone: [] };
  const looked = await Promise.all(
    known.map(async ({ label }) => {
      const matches = await client.query(entitiesQuery(graph.id, label));
      return matches.find((one) => one.label === label);
    }),
  );
  return {
    found: looked.flatMap((one) => (one ? [{ id: one.id, label: one.label }] : [])),
    gone: known.filter((_, at) => !looked[at]).map(({ label }) => label),
  };
}

/** "Acme is not in the current version of the graph." */
export const goneWords = (gone: readonly string[]) =>
  `${nameList(gone)} ${gone.length > 1 ? "are" : "is"} not in the current version of the graph.`;
