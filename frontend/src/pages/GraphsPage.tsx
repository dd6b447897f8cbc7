import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { graphsQuery, sessionQuery } from "@/api/queries";
import type { Graph } from "@/api/types";
import { EndpointDialog } from "@/components/graphs/EndpointDialog";
import { GraphState } from "@/components/graphs/GraphState";
import { StorageDialog } from "@/components/graphs/StorageDialog";
import { Trash } from "@/components/graphs/Trash";
import { UploadDialog } from "@/components/graphs/UploadDialog";
import { Button } from "@/components/kit/controls";
import { Ago, EmptyState, QueryState } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Page } from "@/components/kit/Page";
import { Find } from "@/components/kit/TextField";
import { integer } from "@/view/format";

function Row({ graph }: { graph: Graph }) {
  const counted = graph.state === "ready" && !graph.endpoint;
  return (
    <tr>
      <td className="cell-main">
        <Link to={`/graphs/${graph.id}`} className="run-link">
          <bdi>{graph.name}</bdi>
        </Link>
        {graph.visibility !== "public" && (
          <span className="badge" title={graph.owner ? `owner: ${graph.owner}` : undefined}>
            {graph.visibility}
          </span>
        )}
        {graph.endpoint && (
          <span className="badge" title={graph.endpoint.url}>
            SPARQL endpoint
          </span>
        )}
        {graph.description && <div className="small muted elide-2">{graph.description}</div>}
        {graph.error && <div className="small bad-text elide-2">{graph.error.message}</div>}
      </td>
      <td>
        <GraphState graph={graph} />
      </td>
      <td className="num hide-narrow">{counted ? integer(graph.entities) : "–"}</td>
      <td className="num hide-narrow">{counted ? integer(graph.relations) : "–"}</td>
      <td className="num">{counted ? integer(graph.triples) : "–"}</td>
      <td className="num hide-narrow">{graph.passages ? integer(graph.passages) : "–"}</td>
      <td className="muted nowrap hide-narrow">
        {graph.state === "ready" &&
          (graph.checkpoint?.method ?? (graph.triples || graph.endpoint ? "untrained" : "–"))}
      </td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={graph.created_at} />
      </td>
      <td className="acts">
        {graph.state === "ready" && (
          <Link className="btn small" to={`/?graph=${graph.id}`}>
            Ask
          </Link>
        )}
      </td>
    </tr>
  );
}

export function GraphsPage() {
  const [params, setParams] = useSearchParams();
  const graphs = useQuery(graphsQuery);
  const { data: session } = useQuery(sessionQuery);
  const [find, setFind] = useState("");
  const admin = session?.user?.role === "admin";
  const list = graphs.data?.results ?? [];
  const rows = list.filter((graph) => graph.name.toLowerCase().includes(find.trim().toLowerCase()));
  const upload = (open: boolean) => {
    setParams(open ? { upload: "1" } : {}, { replace: true });
  };
  const connect = (open: boolean) => {
    setParams(open ? { connect: "1" } : {}, { replace: true });
  };
  const button = admin && (
    <Button look="primary" icon="upload" onPress={() => upload(true)}>
      Upload a graph
    </Button>
  );
  return (
    <Page
      title="Graphs"
      count={graphs.data?.count}
      acts={
        <>
          {list.length > 5 && <Find label="Find a graph" value={find} onChange={setFind} />}
          <Button onPress={() => setParams({ storage: "1" }, { replace: true })}>What is stored</Button>
          {admin && (
            <Button icon="link" onPress={() => connect(true)}>
              Connect a SPARQL endpoint
            </Button>
          )}
          {button}
        </>
      }
    >
      <QueryState of={graphs} what="graphs" retry />
      {graphs.data && list.length === 0 && (
        <EmptyState title="No graphs yet" act={button || undefined}>
          {admin
            ? "Upload triples, RDF or documents. The graph can be asked seconds later. One that lives in a SPARQL endpoint can stay there."
            : "An admin can upload one. Ask whoever runs Clew."}
        </EmptyState>
      )}
      {list.length > 0 && rows.length === 0 && (
        <EmptyState title={`No graph is called “${find.trim()}”`}>Try fewer letters.</EmptyState>
      )}
      {rows.length > 0 && (
        <ResourceTable
          heads={[
            ["Name"],
            ["State"],
            ["Entities", "num hide-narrow"],
            ["Relations", "num hide-narrow"],
            ["Facts", "num"],
            ["Passages", "num hide-narrow"],
            ["Retriever", "hide-narrow"],
            ["Added", "hide-narrow"],
          ]}
          acts
          card
        >
          {rows.map((graph) => (
            <Row key={graph.id} graph={graph} />
          ))}
        </ResourceTable>
      )}
      <Trash />
      <StorageDialog isOpen={params.has("storage")} onClose={() => setParams({}, { replace: true })} />
      <EndpointDialog graph={null} isOpen={params.has("connect") && admin} onClose={() => connect(false)} />
      <UploadDialog isOpen={params.has("upload") && admin} onClose={() => upload(false)} />
    </Page>
  );
}
