// Buttons that edit what is selected, and their dialog; nothing for people who may not change the graph.
import { useState } from "react";
import type { Operation } from "@/api/edits";
import type { Node } from "@/api/events";
import type { Graph } from "@/api/types";
import type { Fact } from "@/view/runEntities";
import { EntityActs, FactActs } from "./EditActs";
import { EditDialog } from "./EditDialog";
import { useMayChange } from "./useMayChange";

interface Props {
  graph: Graph;
  node?: Pick<Node, "label" | "kind"> | undefined;
  fact?: Fact | undefined;
}

export function EditSection({ graph, node, fact }: Props) {
  const mayChange = useMayChange(graph);
  const [editing, setEditing] = useState<Operation | null>(null);
  if (!mayChange) return null;
  return (
    <>
      {node && <EntityActs node={node} onEdit={setEditing} />}
      {fact && <FactActs fact={fact} onEdit={setEditing} />}
      <EditDialog graph={graph} operation={editing} onClose={() => setEditing(null)} />
    </>
  );
}
