// What is known of an entity, and what can be done with it: its facts by relation, with how many are on show.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { neighboursQuery } from "@/api/queries";
import type { Graph, NeighbourGroup } from "@/api/types";
import { EditSection } from "@/components/edits/EditSection";
import { LanguageNames } from "@/components/graph/LanguageNames";
import { Button, IconButton } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { kindOf, shownIn } from "@/view/exploring";
import { count, elide, integer } from "@/view/format";
import { HUB, type ExploringState } from "./useExploring";
import { nameOf } from "@/view/entityNames";

/** With more relations than this they can be filtered. */
const MANY = 8;

interface Props {
  graph: Graph;
  state: ExploringState;
  id: number;
  onAsk: (ids: readonly number[]) => void;
}

function GroupRow({ group, shown, onShow }: { group: NeighbourGroup; shown: number; onShow: () => void }) {
  const left = group.count - shown;
  const inverse = group.direction === "in";
  const act = left <= 0 ? "All shown" : left > HUB ? `Show ${HUB}${shown ? " more" : ""}` : `Show ${left}`;
  return (
    <li className="group-row">
      <span className="grow" title={group.relation}>
        <span className="muted" aria-hidden="true">
          {inverse ? "← " : "→ "}
        </span>
        <bdi>{group.label}</bdi>
        {inverse && <span className="sr-only"> (inverse)</span>}
        <span className="muted small tabular">
          {shown > 0 ? `${integer(shown)} of ${integer(group.count)} shown` : count(group.count, "fact")}
        </span>
      </span>
      <Button size="small" isDisabled={left <= 0} aria-label={`${act} of ${group.label}`} onPress={onShow}>
        {act}
      </Button>
    </li>
  );
}

function Relations({ graph, state, id }: Omit<Props, "onAsk">) {
  const [filter, setFilter] = useState("");
  const version = graph.endpoint ? null : state.exploring.version;
  const { data, error } = useQuery(
    neighboursQuery(graph.id, { entity: id, limit: 1, ...(version && { snapshot: version }) }),
  );
  if (error) return <ErrorNotice error={error} />;
  if (data?.node.id !== id) return <Loading what="facts" />;
  const total = data.groups.reduce((sum, group) => sum + group.count, 0);
  const wanted = filter.trim().toLowerCase();
  const groups = data.groups.filter((group) => group.label.toLowerCase().includes(wanted));
  const attributes = Object.entries(data.node.attributes);
  return (
    <>
      {attributes.length > 0 && (
        <dl className="attributes small">
          {attributes.map(([name, value]) => (
            <div key={name}>
              <dt className="muted">{name.replaceAll("_", " ")}</dt>
              <dd>
                <bdi>{elide(value, 240)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <LanguageNames names={data.node.names} />
      <p className="muted small">
        {data.cut && "At least "}
        {count(total, "fact")} in {count(data.groups.length, "relation")}
        {data.cut && "; the endpoint has more than are pulled for one entity"}
      </p>
      {data.groups.length > MANY && (
        <input
          className="input"
          type="search"
          aria-label="Filter relations"
          placeholder="Filter relations"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <ul className="groups" aria-label="Facts by relation" aria-busy={state.busy}>
        {groups.map((group) => (
          <GroupRow
            key={`${group.direction} ${group.relation}`}
            group={group}
            shown={shownIn(state.data, id, group)}
            onShow={() => void state.expandBy(id, group)}
          />
        ))}
        {groups.length === 0 && data.groups.length > 0 && (
          <li className="muted small">No relation is called that.</li>
        )}
      </ul>
    </>
  );
}

export function EntityCard({ graph, state, id, onAsk }: Props) {
  const node = state.data?.nodes.find((one) => one.id === id);
  if (!node) return null;
  const pinned = state.exploring.pins.includes(id);
  return (
    <section className="explore-card" aria-label="What is selected">
      <header>
        <h2>
          <bdi>{elide(nameOf(node), 300) || "(no name)"}</bdi>
        </h2>
        <IconButton icon="close" label="Close" onPress={() => state.look(null)} />
      </header>
      {(kindOf(node) || node.iri) && (
        <p className="muted small">
          <bdi>{kindOf(node)}</bdi>
          {node.iri && (
            <span className="mono explore-iri" title="IRI">
              {node.iri}
            </span>
          )}
        </p>
      )}
      <p className="row wrap explore-acts">
        <Button size="small" icon="pin" aria-pressed={pinned} onPress={() => state.pin([id])}>
          {pinned ? "Unpin" : "Pin"}
        </Button>
        <Button size="small" icon="link" onPress={() => state.setPathFrom(id)}>
          Path to…
        </Button>
        {!graph.endpoint && (
          <Button size="small" icon="search" onPress={() => state.setSimilar(id)}>
            Find similar
          </Button>
        )}
        {state.isCurrent && node.kind === "entity" && (
          <Button size="small" icon="ask" onPress={() => onAsk([id])}>
            Ask about
          </Button>
        )}
        <Button size="small" icon="minus" onPress={() => state.hide([id])}>
          Hide
        </Button>
      </p>
      {state.isCurrent && <EditSection graph={graph} node={node} />}
      {graph.endpoint && node.kind !== "entity" ? (
        <p className="muted small">A value: an endpoint cannot be asked about it.</p>
      ) : (
        <Relations key={id} graph={graph} state={state} id={id} />
      )}
    </section>
  );
}
