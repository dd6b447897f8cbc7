// A graph that lives in a SPARQL endpoint: where it is, whether it answers, and what it can and cannot do.
import { useState } from "react";
import { Link } from "react-router";
import { checkEndpoint } from "@/api/endpoints";
import { keys } from "@/api/queries";
import type { Endpoint, Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { Ago, ErrorNotice, Notice, Spinner } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";
import { count, integer, milliseconds } from "@/view/format";
import { EndpointDialog } from "./EndpointDialog";

/** Whether it answered when it was last checked, in a word. */
export function Health({ endpoint }: { endpoint: Endpoint }) {
  return endpoint.error ? (
    <span className="badge bad" title={endpoint.error.message}>
      not answering
    </span>
  ) : (
    <span className="badge good">answers</span>
  );
}

function Settings({ endpoint }: { endpoint: Endpoint }) {
  return (
    <dl className="facts-list endpoint-settings">
      <div>
        <dt>address</dt>
        <dd className="mono wrap-anywhere">{endpoint.url}</dd>
      </div>
      <div>
        <dt>graph</dt>
        <dd className={endpoint.named_graph ? "mono wrap-anywhere" : ""}>
          {endpoint.named_graph || "the endpoint’s default"}
        </dd>
      </div>
      <div>
        <dt>languages</dt>
        <dd>{endpoint.languages.join(", ") || "only texts without a language"}</dd>
      </div>
      <div>
        <dt>a question</dt>
        <dd>
          pulls at most {count(endpoint.max_triples, "fact")} within {count(endpoint.hops, "hop")}, of one
          entity and direction {integer(endpoint.per_entity)} ({integer(5 * endpoint.per_entity)} of a topic)
        </dd>
      </div>
      <div>
        <dt>a query</dt>
        <dd>may take {count(endpoint.timeout, "second")}</dd>
      </div>
      <div>
        <dt>checked</dt>
        <dd>
          <Ago iso={endpoint.checked_at} />
          {endpoint.took_ms === null
            ? ", without success"
            : `, answered in ${milliseconds(endpoint.took_ms)}`}
        </dd>
      </div>
    </dl>
  );
}

export function EndpointCard({ graph, mayChange }: { graph: Graph; mayChange: boolean }) {
  const [changing, setChanging] = useState(false);
  const check = useAct(() => checkEndpoint(graph.id), { changes: [keys.graphs] });
  const { endpoint } = graph;
  if (!endpoint) return null;
  return (
    <Card
      title="SPARQL endpoint"
      id="endpoint"
      acts={
        mayChange && (
          <>
            <Button size="small" icon="retry" isDisabled={check.isPending} onPress={() => check.mutate()}>
              {check.isPending ? <Spinner label="Checking" /> : "Check now"}
            </Button>
            <Button size="small" icon="gear" onPress={() => setChanging(true)}>
              Change
            </Button>
          </>
        )
      }
    >
      <div className="body stack">
        {check.error && <ErrorNotice error={check.error} />}
        {endpoint.error && (
          <Notice tone="bad" title={endpoint.error.message}>
            {endpoint.error.hint} The graph stays connected; it can be asked as soon as the endpoint answers.
          </Notice>
        )}
        {!endpoint.error && !endpoint.named && (
          <Notice tone="warn" title="Nothing there has a name in these languages">
            Questions find no entity by name then. Add a language, or choose entities by their IRI.
          </Notice>
        )}
        <Settings endpoint={endpoint} />
      </div>
      <EndpointDialog graph={graph} isOpen={changing} onClose={() => setChanging(false)} />
    </Card>
  );
}

/** What an endpoint cannot serve, and the way to have it. */
export function NotImported({ admin }: { admin: boolean }) {
  return (
    <Card title="What needs an import">
      <div className="body stack">
        <p>
          Nothing of this graph is kept here, so it has no statistics, versions or index, and no question
          sets, training, evaluation or review; INSES, passages, the router and the trained agent cannot be
          asked of it. It is asked by programs, which the endpoint computes, and by relation paths, untrained.
          A run says when it asked and what it got; the same question may get something else tomorrow.
        </p>
        <p>
          For any of these, export what you need from the endpoint as RDF (a <code>CONSTRUCT</code> query, or
          its dump) and upload it as a graph of its own.
          {!admin && " An administrator can do that."}
        </p>
        {admin && (
          <p>
            <Link className="btn" to="/graphs?upload=1">
              Upload a graph
            </Link>
          </p>
        )}
      </div>
    </Card>
  );
}
