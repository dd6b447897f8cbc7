// How far a graph's index is, what can be asked without it, and how to build one that was stopped.
import { indexGraph, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Notice } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";

export function IndexNotice({ graph, admin }: { graph: Graph; admin: boolean }) {
  const start = useAct(() => indexGraph(graph.id), { changes: [keys.graphs], job: (job) => job });
  if (graph.endpoint || graph.state !== "ready" || graph.index_state === "ready") return null;
  const building = graph.index_state === "building";
  const facts = graph.triples > 0;
  const meanwhile = facts
    ? "The graph can be asked by relation paths; names are matched by spelling until the index is done."
    : "Its passages can be asked when the index is done.";
  return (
    <>
      <Notice
        tone={building ? "info" : "warn"}
        title={building ? "Indexing names and texts by meaning" : "Names and texts are not indexed"}
        acts={
          !building &&
          admin && (
            <Button size="small" onPress={() => start.mutate()}>
              Index now
            </Button>
          )
        }
      >
        {meanwhile}
        {facts &&
          (graph.passages > 0
            ? " Its passages, INSES and the router can be asked then."
            : " INSES can be asked then.")}
        {!building && " What was indexed before is kept."}
      </Notice>
      {start.error && <ErrorNotice error={start.error} />}
    </>
  );
}
