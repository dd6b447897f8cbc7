// The graph as a table: the same facts, for screen readers, for copying, and for reading in order.
import { Icon } from "@/components/kit/Icon";
import type { GraphModel } from "@/view/graphModel";

interface Props {
  model: GraphModel;
  onFind: (node: number) => void;
}

export function FactTable({ model, onFind }: Props) {
  const names = new Map(model.nodes.map((node) => [node.id, node.label]));
  const name = (id: number) => (
    <button type="button" className="link" onClick={() => onFind(id)}>
      <bdi>{names.get(id)}</bdi>
    </button>
  );
  return (
    <div className="fact-table" tabIndex={0} role="region" aria-label="Facts shown">
      <table className="table">
        <thead>
          <tr>
            <th>Head</th>
            <th>Relation</th>
            <th>Tail</th>
            <th>In the graph</th>
          </tr>
        </thead>
        <tbody>
          {model.edges.map((edge) => (
            <tr key={edge.id} className={edge.lit ? "on" : ""}>
              <td>{name(edge.source)}</td>
              <td className="muted" title={edge.relation}>
                <bdi>{edge.label}</bdi>
                {edge.both && edge.kind === "fact" && " (both ways)"}
              </td>
              <td>{name(edge.target)}</td>
              <td>
                {edge.kind === "jump" ? (
                  <span className="badge">similarity</span>
                ) : edge.verified ? (
                  <span className="badge">
                    <Icon name="check" /> facts in graph
                  </span>
                ) : (
                  <span className="badge bad dotted">not in graph</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
