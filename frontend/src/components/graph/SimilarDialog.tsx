// Entities that share facts with one: which, and what they share.
import { useQuery } from "@tanstack/react-query";
import type { Hop } from "@/api/events";
import { similarQuery } from "@/api/explore";
import type { Id } from "@/api/types";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { count, elide } from "@/view/format";
import { nameOf } from "@/view/entityNames";

interface Props {
  graph: Id;
  /** Hash of the version; null for the current one. */
  snapshot: string | null;
  node: { id: number; label: string };
  isShown: (id: number) => boolean;
  onAdd: (id: number, hops: readonly Hop[]) => void;
  onClose: () => void;
}

/** What two entities share, said of the other one: "continent Africa", "member of OPEC". */
function said({ source, step, target }: Hop, other: number): string {
  return source.id === other ? `${step.label} ${nameOf(target)}` : `${nameOf(source)} ${step.label}`;
}

export function SimilarDialog({ graph, snapshot, node, isShown, onAdd, onClose }: Props) {
  const { data, error } = useQuery(similarQuery(graph, snapshot, node.id));
  return (
    <Modal title={`Similar to ${elide(node.label, 60)}`} isOpen onClose={onClose}>
      {error ? <ErrorNotice error={error} /> : null}
      {!data && !error && <Loading what="similar entities" />}
      {data?.length === 0 && <p className="muted">No other entity shares a telling fact with it.</p>}
      {data && data.length > 0 && (
        <>
          <p className="muted">Those that share most facts with it, rare facts counting more.</p>
          <ul className="groups">
            {data.map(({ node: other, count: shared, hops }) => (
              <li key={other.id} className="group-row">
                <span className="grow">
                  <bdi>{elide(nameOf(other), 80)}</bdi>
                  <span className="muted small similar-why">
                    {count(shared, "fact")} shared:{" "}
                    {hops.map((hop) => elide(said(hop, other.id), 50)).join(", ")}
                    {shared > hops.length && ` and ${shared - hops.length} more`}
                  </span>
                </span>
                {/* A disabled button would lose the focus, and with it the dialog's keys. */}
                <Button
                  size="small"
                  look={isShown(other.id) ? "plain" : undefined}
                  onPress={() => {
                    if (!isShown(other.id)) onAdd(other.id, hops);
                  }}
                >
                  {isShown(other.id) ? "Shown" : "Show"}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Modal>
  );
}
