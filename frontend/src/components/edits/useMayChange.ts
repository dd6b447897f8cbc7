// Whether the person may change a graph.
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import type { Graph } from "@/api/types";

/** Its owner and administrators change a graph that was imported. */
export function useMayChange(graph: Graph): boolean {
  const { data: session } = useQuery(sessionQuery);
  const user = session?.user;
  if (!user || graph.endpoint) return false;
  return user.role === "admin" || (graph.owner !== null && graph.owner === user.username);
}
