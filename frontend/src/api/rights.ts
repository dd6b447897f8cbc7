// What the person may stop, change and delete, as the server decides it (webapp/accounts/rights.py): so that nothing is
// offered that would be refused.
import { useQuery } from "@tanstack/react-query";
import { graphsQuery, sessionQuery } from "./queries";
import type { Id } from "./types";

type MayManage = (owner: string | null | undefined, graph?: Id | null) => boolean;

/** Whether a graph is theirs to manage: what everybody is answered with, and the tests that stand before it. */
export function useManagesGraph(): (graph: Id) => boolean {
  const mayManage = useMayManage();
  return (graph) => mayManage(null, graph);
}

/** Whether something of `owner` is theirs to manage: their own, of a graph of theirs (where one counts), or anything for an administrator. */
export function useMayManage(): MayManage {
  const user = useQuery(sessionQuery).data?.user;
  const graphs = useQuery(graphsQuery).data?.results;
  return (owner, graph = null) => {
    if (!user) return false;
    if (user.role === "admin" || owner === user.username) return true;
    if (graph === null || user.role === "viewer") return false;
    return graphs?.find((one) => String(one.id) === String(graph))?.owner === user.username;
  };
}
