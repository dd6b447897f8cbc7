// Beside the drawing: where to begin, what is selected, and what is pinned.
import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import { hubsQuery } from "@/api/explore";
import type { Graph } from "@/api/types";
import { SelectionCard } from "@/components/graph/SelectionCard";
import { Find } from "@/components/graphs/Find";
import { Button, IconButton } from "@/components/kit/controls";
import { count, elide } from "@/view/format";
import { EntityCard } from "./EntityCard";
import type { ExploringState } from "./useExploring";
import { nameOf } from "@/view/entityNames";

interface Props {
  graph: Graph;
  state: ExploringState;
  search: RefObject<HTMLInputElement | null>;
  onAsk: (ids: readonly number[]) => void;
}

function Beginnings({ graph, state }: Pick<Props, "graph" | "state">) {
  const { data } = useQuery({ ...hubsQuery(graph.id), enabled: !graph.endpoint });
  return (
    <div className="explore-card">
      <h2>Where to begin</h2>
      <p className="muted">
        {graph.endpoint
          ? "Type the whole name of an entity, or its IRI. Its facts are then asked for at the endpoint."
          : "Search for an entity, or begin with one of those that have the most facts."}
      </p>
      {data && data.length > 0 && (
        <ul className="explore-list">
          {data.map((one) => (
            <li key={one.id}>
              <Button look="link" onPress={() => state.add([one.id])}>
                <bdi>{elide(nameOf(one), 60)}</bdi>
              </Button>
              {one.degree !== null && (
                <span className="muted small tabular">{count(one.degree, "fact")}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Several({ state, onAsk }: Pick<Props, "state" | "onAsk">) {
  const { selected, labelOf } = state;
  const [one, two] = selected;
  return (
    <section className="explore-card" aria-label="What is selected">
      <SelectionCard
        names={selected.map(labelOf)}
        pinned={selected.every((id) => state.exploring.pins.includes(id))}
        onPin={() => state.pin(selected)}
        onHide={() => state.hide(selected)}
        onPath={() => one !== undefined && two !== undefined && void state.path(one, two)}
        onAsk={state.isCurrent ? () => onAsk(selected) : undefined}
      />
    </section>
  );
}

function Pins({ state, onAsk }: Pick<Props, "state" | "onAsk">) {
  const { pins } = state.exploring;
  if (!pins.length) return null;
  return (
    <section className="explore-card" aria-label="Pinned">
      <header>
        <h2>Pinned</h2>
        {state.isCurrent && (
          <Button size="small" look="primary" icon="ask" onPress={() => onAsk(pins)}>
            Ask about {pins.length === 1 ? "it" : "them"}
          </Button>
        )}
      </header>
      <ul className="explore-list">
        {pins.map((id) => (
          <li key={id}>
            <Button look="link" onPress={() => state.look(id)}>
              <bdi>{elide(state.labelOf(id), 60)}</bdi>
            </Button>
            <IconButton
              icon="close"
              label={`Unpin ${elide(state.labelOf(id), 60)}`}
              onPress={() => state.pin([id])}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ExploreSide({ graph, state, search, onAsk }: Props) {
  const { node, selected, shown } = state;
  return (
    <div className="explore-side">
      <div className="explore-find">
        <Find graph={graph} field={search} onPick={(id) => state.add([id])} />
      </div>
      {shown.length === 0 && <Beginnings graph={graph} state={state} />}
      {selected.length > 1 ? (
        <Several state={state} onAsk={onAsk} />
      ) : (
        node !== null && <EntityCard graph={graph} state={state} id={node} onAsk={onAsk} />
      )}
      {shown.length > 0 && node === null && selected.length < 2 && (
        <p className="explore-card muted">
          Select an entity to see its facts. Double-click expands it; the lasso, or a drag with Shift, selects
          several.
        </p>
      )}
      <Pins state={state} onAsk={onAsk} />
    </div>
  );
}
