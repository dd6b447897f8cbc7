// A dialog that edits a graph by hand: the operation, its effect before it is made, its reason and its source.
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { createEdit, previewEdit, relationsQuery, type Operation } from "@/api/edits";
import { entitiesQuery, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Modal } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import { Form } from "@/components/kit/Form";
import { useDebounced } from "@/components/kit/hooks";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";
import { EffectView } from "./EffectView";
import { isComplete } from "./operations";
import "./edits.css";

const TITLES: Record<Operation["op"], string> = {
  add_fact: "Add a fact",
  remove_fact: "Remove a fact",
  change_fact: "Change a fact",
  rename_entity: "Rename",
  merge_entities: "Merge",
};

interface Props {
  graph: Graph;
  /** What the dialog begins with; null is closed. */
  operation: Operation | null;
  onClose: () => void;
  /** The edit was queued. */
  onDone?: (() => void) | undefined;
}

export function EditDialog({ graph, operation, onClose, onDone }: Props) {
  return (
    <Modal title={operation ? TITLES[operation.op] : ""} isOpen={operation !== null} onClose={onClose}>
      {operation && <EditForm graph={graph} start={operation} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

interface NameFieldProps {
  graph: Graph;
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
}

/** A field for the name of an entity, which suggests those that the graph has. */
function EntityField({ graph, value, ...field }: NameFieldProps) {
  const list = useId();
  const { data } = useQuery(entitiesQuery(graph.id, useDebounced(value, 200)));
  return (
    <>
      <TextField {...field} value={value} autoComplete="off" list={list} />
      <datalist id={list}>
        {data?.map((entity) => (
          <option key={entity.id} value={entity.label} />
        ))}
      </datalist>
    </>
  );
}

interface FactFieldsProps {
  graph: Graph;
  fact: readonly string[];
  onChange: (fact: string[]) => void;
}

function FactFields({ graph, fact, onChange }: FactFieldsProps) {
  const list = useId();
  const { data } = useQuery(relationsQuery(graph.id));
  const [head = "", relation = "", tail = ""] = fact;
  return (
    <>
      <EntityField
        graph={graph}
        label="Entity"
        value={head}
        onChange={(text) => onChange([text, relation, tail])}
      />
      <TextField
        label="Relation"
        autoComplete="off"
        list={list}
        value={relation}
        onChange={(text) => onChange([head, text, tail])}
      />
      <datalist id={list}>
        {data?.map(({ name, label }) => (
          <option key={name} value={name} label={label} />
        ))}
      </datalist>
      <EntityField
        graph={graph}
        label="Entity or value"
        value={tail}
        onChange={(text) => onChange([head, relation, text])}
      />
    </>
  );
}

interface OperationFieldsProps {
  graph: Graph;
  operation: Operation;
  onChange: (operation: Operation) => void;
}

function OperationFields({ graph, operation, onChange }: OperationFieldsProps) {
  const change = (fields: Partial<Operation>) => onChange({ ...operation, ...fields });
  const { fact = [], replacement = [], other = "", name = "" } = operation;
  switch (operation.op) {
    case "add_fact":
      return <FactFields graph={graph} fact={fact} onChange={(changed) => change({ fact: changed })} />;
    case "change_fact":
      return (
        <FactFields
          graph={graph}
          fact={replacement}
          onChange={(changed) => change({ replacement: changed })}
        />
      );
    case "rename_entity":
      return (
        <TextField
          label="New name"
          autoComplete="off"
          value={name}
          onChange={(text) => change({ name: text })}
        />
      );
    case "merge_entities":
      return (
        <EntityField
          graph={graph}
          label={`Entity to merge into ${operation.entity ?? ""}`}
          hint="Its facts move, and its name remains as another name."
          value={other}
          onChange={(text) => change({ other: text })}
        />
      );
    case "remove_fact":
      return null;
  }
}

interface EditFormProps extends Omit<Props, "operation"> {
  start: Operation;
}

function EditForm({ graph, start, onClose, onDone }: EditFormProps) {
  const [operation, setOperation] = useState(start);
  const [reason, setReason] = useState("");
  const [source, setSource] = useState("");
  const previewed = useDebounced(operation, 300);
  const preview = useQuery({
    queryKey: [...keys.graphs, String(graph.id), "edits", "preview", previewed],
    queryFn: () => previewEdit(graph.id, previewed),
    enabled: isComplete(previewed),
    retry: false,
  });
  const create = useAct(() => createEdit(graph.id, { operation, reason, source }), {
    changes: [keys.graphs],
    job: (job) => job,
    done: () => {
      toast(`The next version of ${graph.name} is being made.`);
      onClose();
      onDone?.();
    },
  });
  const [effect] = preview.data ?? [];
  const isPreviewed = previewed === operation && effect !== undefined;
  return (
    <Form of={create} act="Save" isDisabled={!isPreviewed} onClose={onClose}>
      <OperationFields graph={graph} operation={operation} onChange={setOperation} />
      {preview.error && previewed === operation && <ErrorNotice error={preview.error} />}
      {isPreviewed && <EffectView effect={effect} />}
      <TextField label="Reason" autoComplete="off" maxLength={2000} value={reason} onChange={setReason} />
      <TextField
        label="Source"
        autoComplete="off"
        maxLength={2000}
        hint="Where this is from: a document, an address, a person"
        value={source}
        onChange={setSource}
      />
    </Form>
  );
}
