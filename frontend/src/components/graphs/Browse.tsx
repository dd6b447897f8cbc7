// Looking around in a graph: find an entity, see its facts by relation, go on to a neighbour.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { Link } from "react-router";
import { neighboursQuery } from "@/api/queries";
import type { Graph, Neighbours } from "@/api/types";
import type { Operation } from "@/api/edits";
import { EditDialog } from "@/components/edits/EditDialog";
import { EntityActs, FactActs } from "@/components/edits/EditActs";
import { LanguageNames } from "@/components/graph/LanguageNames";
import { PlainCanvas } from "@/components/graph/PlainCanvas";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { useUrlNumber } from "@/components/kit/url";
import { Card } from "@/components/kit/Card";
import { integer } from "@/view/format";
import { factOfHop } from "@/view/runEntities";
import { factsGraph } from "@/view/plainGraph";
import { Find } from "./Find";
import { nameOf } from "@/view/entityNames";

const STEP = 40;

function Facts({
  found,
  values,
  onGo,
  onEdit,
}: {
  found: Neighbours;
  /** Values and nameless nodes have facts of their own to show; in an endpoint they have not. */
  values: boolean;
  onGo: (id: number) => void;
  /** Without it, nothing can be edited. */
  onEdit?: ((operation: Operation) => void) | undefined;
}) {
  return (
    <ul className="step-facts browse-facts">
      {found.hops.map((hop) => {
        const fact = factOfHop(hop);
        const ends = [fact.head, fact.tail] as const;
        const [head, tail] = ends.map((node) =>
          node.id === found.node.id ? (
            <strong key={node.id}>{nameOf(node)}</strong>
          ) : !values && node.kind !== "entity" ? (
            <span key={node.id}>{nameOf(node)}</span>
          ) : (
            <button key={node.id} type="button" className="btn link" onClick={() => onGo(node.id)}>
              <bdi>{nameOf(node)}</bdi>
            </button>
          ),
        );
        return (
          <li key={fact.key}>
            {head}{" "}
            <span className="rel" title={fact.relation}>
              → <bdi>{fact.label}</bdi> →
            </span>{" "}
            {tail}
            {onEdit && <FactActs fact={fact} onEdit={onEdit} />}
          </li>
        );
      })}
    </ul>
  );
}

interface EntityProps {
  graph: Graph;
  id: number;
  mayChange: boolean;
  onGo: (id: number | null) => void;
}

function Entity({ graph, id, mayChange, onGo }: EntityProps) {
  const [editing, setEditing] = useState<Operation | null>(null);
  const [group, setGroup] = useState<{ relation: string; direction: "out" | "in" } | null>(null);
  const [limit, setLimit] = useState(STEP);
  const { data, error, isPlaceholderData } = useQuery(
    neighboursQuery(graph.id, { entity: id, limit, ...(group ?? {}) }),
  );
  const model = useMemo(() => (data ? factsGraph(data.hops.map(factOfHop), data.node) : null), [data]);
  if (error) return <ErrorNotice error={error} />;
  if (!data || !model) return <Loading what="its facts" />;
  const attributes = Object.entries(data.node.attributes);
  return (
    <div className="browse" aria-busy={isPlaceholderData}>
      <div className="stack tight">
        <h3>
          <bdi>{nameOf(data.node)}</bdi>
        </h3>
        <LanguageNames names={data.node.names} />
        {attributes.length > 0 && (
          <dl className="facts-list small">
            {attributes.map(([name, value]) => (
              <div key={name}>
                <dt className="muted">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
        <div className="row wrap" role="group" aria-label="Relations">
          {data.groups.map((one) => {
            const on = group?.relation === one.relation && group.direction === one.direction;
            return (
              <Button
                key={`${one.relation} ${one.direction}`}
                size="small"
                look={on ? "primary" : undefined}
                aria-pressed={on}
                onPress={() => {
                  setGroup(on ? null : { relation: one.relation, direction: one.direction });
                  setLimit(STEP);
                }}
              >
                {one.direction === "in" ? "← " : ""}
                <bdi>{one.label}</bdi> <span className="muted tabular">{integer(one.count)}</span>
              </Button>
            );
          })}
        </div>
        {mayChange && <EntityActs node={data.node} onEdit={setEditing} />}
        <Facts
          found={data}
          values={!graph.endpoint}
          onGo={onGo}
          onEdit={mayChange ? setEditing : undefined}
        />
        <EditDialog
          graph={graph}
          operation={editing}
          onClose={() => setEditing(null)}
          onDone={() => onGo(null)}
        />
        <p className="small muted">
          shown {integer(data.shown)} of {data.cut && "at least "}
          {integer(data.total)}
          {data.cut && ", which is all that is pulled from the endpoint for one entity"}{" "}
          {data.shown < data.total && limit < 200 && (
            <Button size="small" look="link" onPress={() => setLimit(Math.min(200, limit + 2 * STEP))}>
              show more
            </Button>
          )}
        </p>
      </div>
      <PlainCanvas model={model} label={`The facts of ${nameOf(data.node)}, as listed`} onExpand={onGo} />
    </div>
  );
}

export function Browse({ graph, mayChange = false }: { graph: Graph; mayChange?: boolean }) {
  const [entity, setEntity] = useUrlNumber("entity");
  const go = useCallback(
    (id: number | null) => {
      setEntity(id);
    },
    [setEntity],
  );
  return (
    <Card
      title="Explore"
      id="browse"
      acts={
        <>
          <Link
            className="btn small"
            to={`/graphs/${graph.id}/explore${entity === null ? "" : `?show=${entity}&node=${entity}`}`}
          >
            Full page
          </Link>
          <Find graph={graph} onPick={go} />
        </>
      }
    >
      <div className="body">
        {entity === null ? (
          <p className="muted">
            {graph.endpoint
              ? "Find an entity to see its facts, which are asked for then."
              : "Find an entity to see its facts, or start with one of the most connected above."}{" "}
            Double-click a neighbour in the drawing to go to it.
          </p>
        ) : (
          <Entity key={entity} graph={graph} id={entity} mayChange={mayChange} onGo={go} />
        )}
      </div>
    </Card>
  );
}
