// The kinds of a data model as boxes, with arrows to what they refer to.
import { useId, useMemo } from "react";
import type { DataModel } from "@/api/dataModel";
import { count, integer } from "@/view/format";
import { HEAD, ROW, WIDTH, layOut } from "@/view/modelDiagram";

const LETTERS = 20;

const elide = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function ModelDiagram({ model }: { model: DataModel }) {
  const { width, height, boxes, arrows } = useMemo(() => layOut(model), [model]);
  const tip = useId();
  const label = `${count(model.kinds.length, "kind")}; ${count(arrows.length, "reference")} between them`;
  return (
    <div className="scroll-x model-diagram" tabIndex={0} role="region" aria-label="Diagram of the data model">
      <svg
        width={width + 2}
        height={height + 2}
        viewBox={`-1 -1 ${width + 2} ${height + 2}`}
        role="img"
        aria-label={label}
      >
        <defs>
          <marker id={tip} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" className="tip" />
          </marker>
        </defs>
        {arrows.map((arrow) => (
          <path key={arrow.key} d={arrow.path} className="arrow" markerEnd={`url(#${tip})`} />
        ))}
        {boxes.map((box) => (
          <g key={box.table} transform={`translate(${box.x} ${box.y})`}>
            <title>{`${box.label} (${box.table})`}</title>
            <rect width={WIDTH} height={box.height} rx={6} className="box" />
            <text x={10} y={HEAD / 2} dominantBaseline="central" className="kind">
              {elide(box.label, LETTERS)}
            </text>
            <text x={WIDTH - 10} y={HEAD / 2} dominantBaseline="central" textAnchor="end" className="count">
              {integer(box.count)}
            </text>
            {box.references.map((reference, place) => (
              <text
                key={reference.column}
                x={WIDTH - 10}
                y={HEAD + place * ROW + ROW / 2}
                dominantBaseline="central"
                textAnchor="end"
                className="reference"
              >
                {elide(reference.label, LETTERS + 4)}
              </text>
            ))}
          </g>
        ))}
      </svg>
    </div>
  );
}
