// What the pointer is on, in full.
import { count, score } from "@/store/format";
import type { GraphEdge, GraphModel, GraphNode } from "@/store/graphModel";
import type { RunView } from "@/store/runView";

export interface Target {
  kind: "node" | "edge";
  id: number | string;
  x: number;
  y: number;
}

const ROLES: Record<GraphNode["role"], string> = {
  topic: "topic entity",
  answer: "answer",
  path: "on a path",
  faint: "explored",
};

function NodeFacts({ node, view }: { node: GraphNode; view: RunView }) {
  const answer = view.answers.find((one) => one.entity?.id === node.id);
  return (
    <>
      <p>
        <strong>{node.label || "(no name)"}</strong>
      </p>
      <p className="muted">
        {ROLES[node.role]}
        {answer && ` · ${score(answer.score)}`}
        {node.kind === "cvt" && " · mediator, without a name of its own"}
        {node.kind === "literal" && " · literal"}
      </p>
      <p className="muted">{count(node.degree, "fact")} shown here · double-click expands</p>
    </>
  );
}

function EdgeFacts({ edge, model, view }: { edge: GraphEdge; model: GraphModel; view: RunView }) {
  const name = (id: number) => model.nodes.find((node) => node.id === id)?.label ?? "";
  const chains = view.chainFacts.flatMap((keys, index) => (keys.includes(edge.fact) ? [index + 1] : []));
  return (
    <>
      <p>
        {name(edge.source)} <strong>{edge.both ? `⇄ ${edge.label} ⇄` : `→ ${edge.label} →`}</strong>{" "}
        {name(edge.target)}
      </p>
      {edge.kind === "jump" ? (
        <p className="muted">A jump between similar entities; no fact connects them</p>
      ) : (
        <>
          {edge.relation !== edge.label && <p className="mono muted">{edge.relation}</p>}
          <p className={edge.verified ? "good-text" : "bad-text"}>
            {edge.verified ? "✓ verified in the KG" : "unverified: the graph does not hold this"}
          </p>
          {chains.length > 0 && (
            <p className="muted">
              in {chains.length === 1 ? "chain" : "chains"} {chains.join(", ")}
            </p>
          )}
        </>
      )}
    </>
  );
}

export function HoverCard({ target, model, view }: { target: Target; model: GraphModel; view: RunView }) {
  const node = target.kind === "node" ? model.nodes.find((one) => one.id === target.id) : undefined;
  const edge = target.kind === "edge" ? model.edges.find((one) => one.id === target.id) : undefined;
  if (!node && !edge) return null;
  return (
    <div className="hover-card" style={{ left: target.x + 14, top: target.y + 14 }}>
      {node && <NodeFacts node={node} view={view} />}
      {edge && <EdgeFacts edge={edge} model={model} view={view} />}
    </div>
  );
}
