import type { Graph } from "@/api/types";
import { Health } from "@/components/graphs/EndpointCard";
import { Spinner } from "@/components/kit/feedback";
import { count } from "@/view/format";

/** The state of a graph and of its index, in words. */
export function GraphState({ graph }: { graph: Graph }) {
  return (
    <span className="row states">
      {graph.state === "importing" && (
        <span className="badge accent">
          <Spinner /> importing
        </span>
      )}
      {graph.state === "failed" && <span className="badge bad">import failed</span>}
      {graph.endpoint && <Health endpoint={graph.endpoint} />}
      {graph.state === "ready" && !graph.endpoint && <span className="badge good">ready</span>}
      {graph.state === "ready" && graph.index_state === "building" && (
        <span className="badge accent">
          <Spinner /> indexing
        </span>
      )}
      {graph.problems > 0 && <span className="badge warn">{count(graph.problems, "bad row")}</span>}
    </span>
  );
}
