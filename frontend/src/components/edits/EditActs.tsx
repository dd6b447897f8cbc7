// Buttons that edit an entity or a fact.
import type { Operation } from "@/api/edits";
import type { Node } from "@/api/events";
import { Button, IconButton } from "@/components/kit/controls";
import type { Fact } from "@/view/runEntities";

type OnEdit = (operation: Operation) => void;

export function EntityActs({ node, onEdit }: { node: Pick<Node, "label" | "kind">; onEdit: OnEdit }) {
  const { label: entity, kind } = node;
  return (
    <p className="row wrap" role="group" aria-label="Edit">
      <Button size="small" icon="plus" onPress={() => onEdit({ op: "add_fact", fact: [entity, "", ""] })}>
        Add a fact
      </Button>
      {kind !== "literal" && (
        <>
          <Button size="small" onPress={() => onEdit({ op: "rename_entity", entity, name: entity })}>
            Rename…
          </Button>
          <Button size="small" onPress={() => onEdit({ op: "merge_entities", entity, other: "" })}>
            Merge…
          </Button>
        </>
      )}
    </p>
  );
}

export function FactActs({ fact, onEdit }: { fact: Fact; onEdit: OnEdit }) {
  const { head, relation, label, tail } = fact;
  const parts = [head.label, relation, tail.label];
  const sentence = `${head.label} ${label} ${tail.label}`;
  return (
    <span className="fact-acts">
      <Button
        size="small"
        look="link"
        aria-label={`Edit ${sentence}`}
        onPress={() => onEdit({ op: "change_fact", fact: parts, replacement: parts })}
      >
        Edit
      </Button>
      <IconButton
        icon="trash"
        label={`Remove ${sentence}`}
        onPress={() => onEdit({ op: "remove_fact", fact: parts })}
      />
    </span>
  );
}
