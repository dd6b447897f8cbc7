// The data model with which the version in use was imported.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keptModelQuery, type DataModel } from "@/api/dataModel";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { download, fileName } from "@/components/kit/files";
import { ModelView } from "@/components/uploads/DataModel";
import { ApiError } from "@/api/client";

function Kept({ graph, model }: { graph: Graph; model: DataModel }) {
  return (
    <div className="stack data-model">
      <ModelView model={model} />
      <div className="row">
        <Button
          size="small"
          onPress={() => download(fileName(`${graph.name} model`, "json"), JSON.stringify(model, null, 1))}
        >
          Download model
        </Button>
      </div>
    </div>
  );
}

/** Asked for when it is opened: a graph of facts alone has none. */
export function KeptModel({ graph }: { graph: Graph }) {
  const [isOpen, setOpen] = useState(false);
  const kept = keptModelQuery(graph.id, graph.snapshot?.hash ?? "");
  const { data, error } = useQuery({ ...kept, enabled: isOpen });
  const isNone = error instanceof ApiError && error.code === "no_model";
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Data model, as it was imported</summary>
      {data && <Kept graph={graph} model={data} />}
      {!data && !error && isOpen && <Loading what="the data model" />}
      {isNone && <p className="muted">This version was made of facts or texts, and has no data model.</p>}
      {error && !isNone && <ErrorNotice error={error} />}
    </details>
  );
}
