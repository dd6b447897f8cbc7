// The schema of a graph: its types, and which relations lead from one to another.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { schemaQuery } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { PlainCanvas } from "@/components/graph/PlainCanvas";
import { ErrorNotice } from "@/components/kit/feedback";
import { count, integer } from "@/view/format";
import { schemaGraph } from "@/view/plainGraph";

const ROWS = 12;

export function SchemaView({ graph }: { graph: Graph }) {
  const { data, error } = useQuery(schemaQuery(graph.id, graph.snapshot?.hash ?? ""));
  const model = useMemo(() => (data ? schemaGraph(data) : null), [data]);
  if (error) return <ErrorNotice error={error} />;
  // A graph that does not say what its things are has one type: nothing to draw.
  if (!data || !model || data.num_types < 2) return null;
  const name = new Map(data.types.map((type) => [type.id, type.label]));
  return (
    <div className="schema">
      <h3>
        Schema <span className="muted small">{count(data.num_types, "type")}</span>
      </h3>
      <PlainCanvas
        model={model}
        label={`${count(model.nodes.length, "type")} and the relations between them; the table says the same`}
      />
      <details>
        <summary>As a table</summary>
        <table className="table compact">
          <thead>
            <tr>
              <th>From</th>
              <th>Relation</th>
              <th>To</th>
              <th className="num">Facts</th>
            </tr>
          </thead>
          <tbody>
            {data.edges.slice(0, ROWS).map((edge) => (
              <tr key={`${edge.source} ${edge.relation} ${edge.target}`}>
                <td>{name.get(edge.source)}</td>
                <td>{edge.label}</td>
                <td>{name.get(edge.target)}</td>
                <td className="num">{integer(edge.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {data.num_edges > ROWS && (
          <p className="small muted">
            shown {Math.min(ROWS, data.edges.length)} of {integer(data.num_edges)}, the most used first
          </p>
        )}
      </details>
    </div>
  );
}
