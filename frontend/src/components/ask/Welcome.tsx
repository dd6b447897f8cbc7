// The empty Ask page: the first step, offered.
import { Link } from "react-router";
import type { Graph } from "@/api/types";
import { Contents } from "@/components/graphs/Contents";
import { EmptyState } from "@/components/kit/feedback";
import { integer } from "@/view/format";

interface Props {
  graphs: readonly Graph[] | undefined;
  graph: Graph | undefined;
  /** An address named a graph that is not there. */
  isGone?: boolean;
  onExample: (question: string) => void;
}

export function Welcome({ graphs, graph, isGone = false, onExample }: Props) {
  if (graphs?.length === 0) {
    return (
      <EmptyState
        title="There is no graph to ask yet"
        act={
          <Link className="btn primary" to="/graphs?upload=1">
            Upload a graph
          </Link>
        }
      >
        A table (CSV), triples, RDF, nodes and edges, or documents. It can be asked seconds after its upload.
      </EmptyState>
    );
  }
  if (!graph && isGone) {
    return (
      <EmptyState title="This graph is not there any more">
        It was deleted, or is no longer shared with you. Pick another one at the top left, or{" "}
        <Link to="/graphs">look in the trash</Link>.
      </EmptyState>
    );
  }
  if (!graph) {
    return <EmptyState title="Pick a graph">The list at the top left names those that are ready.</EmptyState>;
  }
  if (graph.state === "importing") {
    return (
      <EmptyState title={`${graph.name} is being read`}>It can be asked as soon as that is done.</EmptyState>
    );
  }
  return (
    <div className="welcome">
      <h1>
        Ask <bdi>{graph.name}</bdi>
      </h1>
      {graph.endpoint && (
        <p className="muted wrap-anywhere">
          It lives in a SPARQL endpoint (<span className="mono">{graph.endpoint.url}</span>), which counts,
          ranks and filters itself. Names are found there as they are spelt.
        </p>
      )}
      <p className="muted tabular" hidden={Boolean(graph.endpoint)}>
        {integer(graph.entities)} entities, {integer(graph.relations)} relations, {integer(graph.triples)}{" "}
        facts
        {graph.passages > 0 && `, ${integer(graph.passages)} passages`}
        {graph.snapshot && ` · version ${graph.snapshot.version}`}
      </p>
      {graph.examples.length > 0 ? (
        <>
          <h2>Try one of these</h2>
          <ul className="examples">
            {graph.examples.slice(0, 8).map((question) => (
              <li key={question}>
                <button type="button" onClick={() => onExample(question)}>
                  <bdi>{question}</bdi>
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          Type a question above.{" "}
          {graph.endpoint
            ? "A name in it is found when it is whole; “+ entity” takes IRIs too."
            : "Names of entities are offered while you type them."}
        </p>
      )}
      {!graph.endpoint && <Contents graph={graph} />}
    </div>
  );
}
