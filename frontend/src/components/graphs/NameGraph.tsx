// What a graph is called, and what is said of it.
import { useId, useState } from "react";
import { changeGraphNames } from "@/api/access";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { TextArea, TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";

export function NameGraph({ graph, isOpen, onClose }: DialogProps & { graph: Graph }) {
  return (
    <Modal title="Name and description" isOpen={isOpen} onClose={onClose}>
      <NameForm graph={graph} onClose={onClose} />
    </Modal>
  );
}

function NameForm({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const aboutId = useId();
  const [name, setName] = useState(graph.name);
  const [description, setDescription] = useState(graph.description);
  const change = useAct(
    () => changeGraphNames(graph.id, { name: name.trim(), description: description.trim() }),
    { changes: [keys.graphs], done: onClose },
  );
  return (
    <Form of={change} act="Save" isDisabled={!name.trim()} onClose={onClose}>
      <TextField label="Name" autoComplete="off" maxLength={200} value={name} onChange={setName} />
      <TextArea
        label="Description"
        id={aboutId}
        rows={3}
        maxLength={5000}
        value={description}
        onChange={setDescription}
      />
    </Form>
  );
}
