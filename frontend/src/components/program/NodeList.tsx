// The entities that a step kept: the first of them, each a way to see it in the graph, and how many more there are.
import type { Node } from "@/api/events";
import { integer } from "@/view/format";
import { FindButton } from "./FindButton";

interface Props {
  label: string;
  nodes: readonly Node[];
  total: number;
  /** Undefined where there is no graph to find them in. */
  onFind?: ((entity: number) => void) | undefined;
}

export function NodeList({ label, nodes, total, onFind }: Props) {
  return (
    <ul className="kept-nodes" aria-label={label}>
      {nodes.map((node) => (
        <li key={node.id}>
          <FindButton node={node} onFind={onFind} />
        </li>
      ))}
      {total > nodes.length && <li className="muted">and {integer(total - nodes.length)} more</li>}
    </ul>
  );
}
