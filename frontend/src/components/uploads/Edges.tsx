// Relations between kinds that the file itself gives, with what becomes of the attributes of their edges.
import { useState } from "react";
import type { DataModel, EdgeKind } from "@/api/dataModel";
import { Button } from "@/components/kit/controls";
import { edgeUseText, labelOfTable } from "@/view/dataModel";
import { count, integer } from "@/view/format";

const MOST = 20;

function Edge({ model, edge }: { model: DataModel; edge: EdgeKind }) {
  return (
    <li>
      <span className="wrap-anywhere">
        <bdi>{labelOfTable(model, edge.table)}</bdi> <span aria-hidden="true">→</span>{" "}
        <bdi className="strong">{edge.relation}</bdi> <span aria-hidden="true">→</span>{" "}
        <bdi>{labelOfTable(model, edge.target)}</bdi>
      </span>
      <span className="small muted tabular">{integer(edge.count)}</span>
      {edge.attributes.length > 0 && (
        <ul className="edge-attributes small">
          {edge.attributes.map((attribute) => (
            <li key={attribute.name} className="wrap-anywhere">
              <bdi className="strong">{attribute.label}</bdi>{" "}
              <span className="muted">
                {attribute.type}, on {integer(attribute.filled)}, such as {attribute.samples.join(", ")}:
              </span>{" "}
              {edgeUseText(edge, attribute)}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

export function Edges({ model }: { model: DataModel }) {
  const [all, setAll] = useState(false);
  if (!model.edges.length) return null;
  return (
    <div className="stack tight">
      <h4>Relations between things</h4>
      <ul className="model-references model-edges" aria-label="Relations between things">
        {(all ? model.edges : model.edges.slice(0, MOST)).map((edge) => (
          <Edge key={[edge.table, edge.relation, edge.target].join("\n")} model={model} edge={edge} />
        ))}
      </ul>
      {!all && model.edges.length > MOST && (
        <Button look="link" className="small" onPress={() => setAll(true)}>
          Show all {count(model.edges.length, "relation")}
        </Button>
      )}
    </div>
  );
}
