// Some of the set that a path reaches, in three marks: hit, extra, missed.
import type { Candidate, Drawing } from "@/api/review";
import type { Node } from "@/api/events";
import { integer } from "@/view/format";

const NAMES = 6;

function Names({
  mark,
  word,
  nodes,
  total,
}: {
  mark: string;
  word: string;
  nodes: readonly Node[];
  total: number | null;
}) {
  if (nodes.length === 0) return null;
  const rest = (total ?? nodes.length) - Math.min(NAMES, nodes.length);
  return (
    <span className={`reached ${word}`} title={nodes.map((node) => node.label).join("; ")}>
      <span aria-hidden="true">{mark}</span> <span className="strong">{word}</span>{" "}
      {nodes
        .slice(0, NAMES)
        .map((node) => node.label)
        .join("; ")}
      {rest > 0 && <span className="muted"> +{integer(rest)}</span>}
    </span>
  );
}

type Counted = Pick<Candidate, "reached" | "hits">;

export function Reached({
  drawing,
  candidate,
  known,
}: {
  drawing: Pick<Drawing, "hit" | "extra" | "missed">;
  candidate: Counted;
  known: boolean;
}) {
  const { reached, hits } = candidate;
  if (!known)
    return (
      <p className="small reached-set">
        <Names mark="○" word="reaches" nodes={[...drawing.hit, ...drawing.extra]} total={reached} />
      </p>
    );
  return (
    <p className="small reached-set">
      <Names mark="★" word="hit" nodes={drawing.hit} total={hits} />
      <Names mark="◇" word="extra" nodes={drawing.extra} total={reached - hits} />
      <Names mark="☆" word="missed" nodes={drawing.missed} total={null} />
    </p>
  );
}
