// What was clicked, in full: an entity with its facts by relation, or a fact, and what one can do with it.
import { useQuery } from "@tanstack/react-query";
import { graphsQuery, neighboursQuery } from "@/api/queries";
import type { Id } from "@/api/types";
import { EditSection } from "@/components/edits/EditSection";
import { Button, IconButton } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import type { Picked } from "@/graph/handle";
import { count, integer } from "@/view/format";
import type { GraphEdge, GraphModel, GraphNode } from "@/view/graphModel";
import type { Fact } from "@/view/runEntities";
import type { RunView } from "@/view/runView";
import { FactOrigin } from "./FactSources";
import { EdgeFacts, kindOf } from "./HoverCard";
import { LanguageNames } from "./LanguageNames";

const RELATIONS = 12;

interface NodeProps {
  graph: Id;
  /** The hash of the version that the numbers of entities are of; null takes the current one. */
  snapshot: string | null;
  node: GraphNode;
  onExpand: () => void;
  onAsk: () => void;
  onPin: () => void;
  onSimilar: () => void;
}

function Relations({ graph, snapshot, node }: Pick<NodeProps, "graph" | "snapshot" | "node">) {
  const asked = { entity: node.id, limit: 1, ...(snapshot && { snapshot }) };
  const { data, error } = useQuery(neighboursQuery(graph, asked));
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading what="facts" />;
  const total = data.groups.reduce((sum, group) => sum + group.count, 0);
  const rest = data.groups.length - RELATIONS;
  return (
    <>
      <LanguageNames names={data.node.names} />
      <p className="muted small">
        {data.cut && "At least "}
        {count(total, "fact")} in {count(data.groups.length, "relation")}
      </p>
      <ul className="inspector-relations" aria-label="Facts by relation">
        {data.groups.slice(0, RELATIONS).map((group) => (
          <li key={`${group.direction} ${group.relation}`} title={group.relation}>
            <span className="muted" aria-hidden="true">
              {group.direction === "in" ? "←" : "→"}
            </span>
            <span className="grow">
              <bdi>{group.label}</bdi>
              {group.direction === "in" && <span className="sr-only"> (inverse)</span>}
            </span>
            <span className="tabular">{integer(group.count)}</span>
          </li>
        ))}
        {rest > 0 && <li className="muted">and {count(rest, "more relation")}</li>}
      </ul>
    </>
  );
}

function NodeCard({ graph, snapshot, node, onExpand, onAsk, onPin, onSimilar }: NodeProps) {
  return (
    <>
      <p className="muted small">{kindOf(node)}</p>
      <Relations graph={graph} snapshot={snapshot} node={node} />
      <p className="inspector-acts">
        <Button size="small" icon="plus" onPress={onExpand}>
          Expand
        </Button>
        <Button size="small" icon="ask" onPress={onAsk}>
          Ask about
        </Button>
        <Button size="small" icon="pin" aria-pressed={node.pinned ?? false} onPress={onPin}>
          {node.pinned ? "Unpin" : "Pin"}
        </Button>
        <Button size="small" icon="search" onPress={onSimilar}>
          Find similar
        </Button>
      </p>
    </>
  );
}

/** The fact that is drawn as a line; undefined where the graph has none. */
function findFact(edge: GraphEdge | undefined, model: GraphModel): Fact | undefined {
  const head = model.nodes.find((one) => one.id === edge?.source);
  const tail = model.nodes.find((one) => one.id === edge?.target);
  if (!edge || !head || !tail || edge.kind !== "fact" || !edge.verified) return undefined;
  return { key: edge.fact, head, tail, relation: edge.relation, label: edge.label, verified: true };
}

interface Props {
  graph: Id;
  picked: Picked;
  model: GraphModel;
  view: RunView;
  onExpand: (node: number) => void;
  onAsk: (node: number) => void;
  onPin: (node: number) => void;
  onSimilar: (node: number) => void;
  onClose: () => void;
}

export function Inspector(props: Props) {
  const { graph, picked, model, view, onExpand, onAsk, onPin, onSimilar, onClose } = props;
  const node = picked.kind === "node" ? model.nodes.find((one) => one.id === picked.id) : undefined;
  const edge = picked.kind === "edge" ? model.edges.find((one) => one.id === picked.id) : undefined;
  const { data: graphs } = useQuery(graphsQuery);
  const listed = graphs?.results.find((one) => String(one.id) === String(graph));
  const fact = findFact(edge, model);
  if (!node && !edge) return null;
  return (
    <aside className="inspector" aria-label="What is selected">
      <header>
        <h2>{node ? <bdi>{node.label || "(no name)"}</bdi> : "Fact"}</h2>
        <IconButton icon="close" label="Close" onPress={onClose} />
      </header>
      {node && (
        <NodeCard
          key={node.id}
          graph={graph}
          snapshot={view.started?.snapshot ?? null}
          node={node}
          onExpand={() => onExpand(node.id)}
          onAsk={() => onAsk(node.id)}
          onPin={() => onPin(node.id)}
          onSimilar={() => onSimilar(node.id)}
        />
      )}
      {edge && <EdgeFacts edge={edge} model={model} view={view} />}
      {fact && view.started?.endpoint == null && (
        <FactOrigin graph={graph} snapshot={view.started?.snapshot ?? null} fact={fact.key} />
      )}
      {listed && <EditSection key={`edit ${picked.id}`} graph={listed} node={node} fact={fact} />}
    </aside>
  );
}
