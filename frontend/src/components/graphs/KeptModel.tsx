// The data model with which the version in use was imported.
import { useQuery } from "@tanstack/react-query";
import { keptModelQuery } from "@/api/dataModel";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { download, fileName } from "@/components/kit/files";
import { ModelView } from "@/components/uploads/DataModel";
import { count } from "@/view/format";

export function KeptModel({ graph }: { graph: Graph }) {
  // Graphs of facts alone have no model: an error is nothing to say.
  const { data } = useQuery(keptModelQuery(graph.id, graph.snapshot?.hash ?? ""));
  if (!data) return null;
  return (
    <details className="more">
      <summary>
        Data model <span className="muted small">{count(data.kinds.length, "kind")}, as it was imported</span>
      </summary>
      <div className="stack data-model">
        <ModelView model={data} />
        <div className="row">
          <Button
            size="small"
            onPress={() => download(fileName(`${graph.name} model`, "json"), JSON.stringify(data, null, 1))}
          >
            Download model
          </Button>
        </div>
      </div>
    </details>
  );
}
