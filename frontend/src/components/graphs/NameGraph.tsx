// What a graph is called, and what is said of it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { changeGraphNames } from "@/api/access";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import { TextArea, TextField } from "@/components/kit/TextField";

export function NameGraph({
  graph,
  isOpen,
  onClose,
}: {
  graph: Graph;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal title="Name and description" isOpen={isOpen} onClose={onClose}>
      <Form graph={graph} onClose={onClose} />
    </Modal>
  );
}

function Form({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const client = useQueryClient();
  const aboutId = useId();
  const [name, setName] = useState(graph.name);
  const [description, setDescription] = useState(graph.description);
  const change = useMutation({
    mutationFn: () => changeGraphNames(graph.id, { name: name.trim(), description: description.trim() }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.graphs });
      onClose();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <TextField label="Name" autoComplete="off" maxLength={200} value={name} onChange={setName} />
      <TextArea
        label="Description"
        id={aboutId}
        rows={3}
        maxLength={5000}
        value={description}
        onChange={setDescription}
      />
      {change.error && <ErrorNotice error={change.error} />}
      <div className="foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!name.trim() || change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
