// An entity by its name: a way to see it in the graph, or the name alone where there is no graph to see it in.
import type { Node } from "@/api/events";
import { nameOf } from "@/view/entityNames";

interface Props {
  node: Node;
  onFind: ((entity: number) => void) | undefined;
}

export function FindButton({ node, onFind }: Props) {
  const name = <bdi>{nameOf(node)}</bdi>;
  if (!onFind) return name;
  return (
    <button
      type="button"
      className="link"
      title={`Show ${nameOf(node)} in the graph`}
      onClick={() => onFind(node.id)}
    >
      {name}
    </button>
  );
}
