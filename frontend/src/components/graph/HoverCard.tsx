// What the pointer is on, in full: also what the graph says of it beside its facts.
import { useQuery } from "@tanstack/react-query";
import { attributesQuery, factQuery, type Attributes } from "@/api/passages";
import { graphsQuery } from "@/api/queries";
import type { Id } from "@/api/types";
import { useRested } from "@/components/kit/hooks";
import { count, elide, score } from "@/view/format";
import type { GraphEdge, GraphModel, GraphNode } from "@/view/graphModel";
import type { RunView } from "@/view/runView";

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
  window: "in the agent’s window",
  faint: "explored",
};

/** How long the pointer must rest before the server is asked what more there is. */
const REST_MS = 200;
const ATTRIBUTES = 8;

function AttributeList({ of }: { of: Attributes }) {
  const list = Object.entries(of);
  if (!list.length) return null;
  return (
    <dl className="attributes">
      {list.slice(0, ATTRIBUTES).map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{elide(value, 240)}</dd>
        </div>
      ))}
      {list.length > ATTRIBUTES && <p className="muted">and {list.length - ATTRIBUTES} more</p>}
    </dl>
  );
}

interface Of {
  graph: Id;
  /** The hash of the version that was asked; null takes the current one. */
  snapshot: string | null;
}

function NodeMore({ graph, snapshot, id }: Of & { id: number }) {
  const { data } = useQuery({ ...attributesQuery(graph, snapshot, id), enabled: useRested(REST_MS) });
  return data ? <AttributeList of={data} /> : null;
}

function EdgeMore({ graph, snapshot, edge }: Of & { edge: GraphEdge }) {
  const query = factQuery(graph, snapshot, edge.source, edge.relation, edge.target);
  const { data } = useQuery({ ...query, enabled: useRested(REST_MS) });
  if (!data) return null;
  const titles = data.passages.map((passage) => passage.title || passage.name);
  return (
    <>
      <AttributeList of={data.attributes} />
      {titles.length > 0 && (
        <p className="muted">
          from {titles.slice(0, 3).join(", ")}
          {titles.length > 3 && ` and ${titles.length - 3} more`}
        </p>
      )}
    </>
  );
}

/** What an entity is in this run: "answer · literal". */
export function kindOf(node: GraphNode): string {
  return [
    ...(node.look ? [node.look.kind] : []),
    ROLES[node.role],
    ...(node.here ? ["the agent is here"] : []),
    ...(node.kind === "cvt" ? ["mediator, without a name of its own"] : []),
    ...(node.kind === "literal" ? ["literal"] : []),
  ].join(" · ");
}

function NodeFacts({ node, view }: { node: GraphNode; view: RunView }) {
  const answer = view.answers.find((one) => one.entity?.id === node.id);
  return (
    <>
      <p>
        <strong>
          <bdi>{node.label || "(no name)"}</bdi>
        </strong>
      </p>
      <p className="muted">
        {kindOf(node)}
        {answer && ` · ${score(answer.score)}`}
      </p>
      <p className="muted">{count(node.degree, "fact")} shown here · double-click expands</p>
    </>
  );
}

export function EdgeFacts({ edge, model, view }: { edge: GraphEdge; model: GraphModel; view: RunView }) {
  const name = (id: number) => model.nodes.find((node) => node.id === id)?.label ?? "";
  const chains = view.chainFacts.flatMap((keys, index) => (keys.includes(edge.fact) ? [index + 1] : []));
  return (
    <>
      <p>
        <bdi>{name(edge.source)}</bdi>{" "}
        <strong>{edge.both ? `⇄ ${edge.label} ⇄` : `→ ${edge.label} →`}</strong>{" "}
        <bdi>{name(edge.target)}</bdi>
      </p>
      {edge.kind === "jump" ? (
        <p className="muted">A jump between similar entities; no fact connects them</p>
      ) : (
        <>
          {edge.relation !== edge.label && <p className="mono muted">{edge.relation}</p>}
          <p className={edge.verified ? "muted" : "bad-text"}>
            {edge.verified ? "✓ a fact of the graph" : "The graph holds no such fact"}
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

interface Props {
  graph: Id;
  target: Target;
  model: GraphModel;
  view: RunView;
}

export function HoverCard({ graph, target, model, view }: Props) {
  const graphs = useQuery(graphsQuery);
  const held = graphs.data?.results.find((one) => String(one.id) === String(graph));
  const node = target.kind === "node" ? model.nodes.find((one) => one.id === target.id) : undefined;
  const edge = target.kind === "edge" ? model.edges.find((one) => one.id === target.id) : undefined;
  if (!node && !edge) return null;
  const of = { graph, snapshot: view.started?.snapshot ?? null };
  return (
    <div className="hover-card" style={{ left: target.x + 14, top: target.y + 14 }}>
      {node && <NodeFacts node={node} view={view} />}
      {node && held && held.attributes > 0 && <NodeMore key={node.id} {...of} id={node.id} />}
      {edge && <EdgeFacts edge={edge} model={model} view={view} />}
      {edge?.kind === "fact" && edge.verified && held && held.attributes + held.passages > 0 && (
        <EdgeMore key={edge.id} {...of} edge={edge} />
      )}
    </div>
  );
}
