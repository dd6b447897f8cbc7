// A hub does not dump its neighbours: one picks the relation, with its count, and sees some of them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Hop } from "@/api/events";
import { neighbours } from "@/api/queries";
import type { Id, NeighbourGroup } from "@/api/types";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { count, integer } from "@/view/format";

/** A node with at most this many facts is expanded at once. */
export const HUB = 25;

interface Props {
  graph: Id;
  /** The hash of the version that the numbers of entities are of; null takes the current one. */
  snapshot: string | null;
  node: { id: number; label: string };
  onAdd: (hops: readonly Hop[]) => void;
  onClose: () => void;
}

interface RowProps {
  group: NeighbourGroup;
  shown: number;
  onShow: () => void;
}

function GroupRow({ group, shown, onShow }: RowProps) {
  const next = Math.min(HUB, group.count - shown);
  return (
    <li className="group-row">
      <span className="grow elide" title={group.relation}>
        <span className="muted">{group.direction === "in" ? "← " : "→ "}</span>
        <bdi>{group.label}</bdi>
        {group.direction === "in" && <span className="muted small"> (points here)</span>}
      </span>
      <span className="tabular muted">
        {shown > 0 ? `shown ${shown} of ${integer(group.count)}` : integer(group.count)}
      </span>
      <Button size="small" isDisabled={next <= 0} onPress={onShow}>
        {next <= 0 ? "All shown" : `Show ${next}${shown > 0 ? " more" : ""}`}
      </Button>
    </li>
  );
}

export function RelationChooser({ graph, snapshot, node, onAdd, onClose }: Props) {
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState<Record<string, number>>({});
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const version = snapshot ? { snapshot } : {};
  const overview = useQuery({
    queryKey: ["graphs", String(graph), "neighbours", snapshot, node.id],
    queryFn: () => neighbours(graph, { entity: node.id, limit: 1, ...version }),
  });
  const groups = (overview.data?.groups ?? []).filter((group) =>
    group.label.toLowerCase().includes(filter.trim().toLowerCase()),
  );
  const show = async ({ relation, direction }: NeighbourGroup) => {
    const key = `${direction} ${relation}`;
    // A disabled button would lose the focus, and with it the dialog's keys: a second press just waits.
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const offset = shown[key] ?? 0;
      const answer = await neighbours(graph, {
        ...{ entity: node.id, relation, direction, limit: HUB, offset },
        ...version,
      });
      onAdd(answer.hops);
      setShown({ ...shown, [key]: offset + answer.hops.length });
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const total = (overview.data?.groups ?? []).reduce((sum, group) => sum + group.count, 0);
  return (
    <Modal title={`Expand ${node.label}`} isOpen onClose={onClose}>
      {overview.error ? <ErrorNotice error={overview.error} /> : null}
      {overview.isPending && <Loading what="relations" />}
      {overview.data && (
        <>
          <p className="muted">
            {overview.data.cut && "At least "}
            {count(total, "fact")} in {count(overview.data.groups.length, "relation")}. Choose what to show.
            {overview.data.cut && " The endpoint has more of them than are pulled."}
          </p>
          {overview.data.groups.length > 8 && (
            <input
              className="input"
              aria-label="Filter relations"
              placeholder="Filter relations"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          )}
          <ul className="groups">
            {groups.map((group) => {
              const key = `${group.direction} ${group.relation}`;
              return (
                <GroupRow key={key} group={group} shown={shown[key] ?? 0} onShow={() => void show(group)} />
              );
            })}
          </ul>
        </>
      )}
      {error ? <ErrorNotice error={error} /> : null}
    </Modal>
  );
}
