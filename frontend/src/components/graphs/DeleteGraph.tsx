// Deleting what others use asks to type its name.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { accessKeys } from "@/api/access";
import { dependentsQuery } from "@/api/datasets";
import { deleteGraph, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/says";
import { toast } from "@/store/toasts";
import { usesOf } from "./uses";

export function DeleteGraph({
  graph,
  isOpen,
  onClose,
}: {
  graph: Graph;
  isOpen: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const dependents = useQuery({ ...dependentsQuery(graph.id), enabled: isOpen });
  const uses = dependents.data ? usesOf(dependents.data) : "";
  const remove = useMutation({
    mutationFn: () => deleteGraph(graph.id, typed),
    onSuccess: async () => {
      toast(`${graph.name} was deleted. It can be restored from the graphs page.`);
      await navigate("/graphs");
      await Promise.all(
        [keys.graphs, accessKeys.trash].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  return (
    <Modal title={`Delete ${graph.name}?`} isOpen={isOpen} onClose={onClose} role="alertdialog">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate();
        }}
      >
        <p>
          Nobody can ask it any more, and all that was made of it goes with it
          {uses ? `: ${uses}` : ""}. It can be restored from the list of deleted graphs for some days.
        </p>
        <div className="field">
          <label htmlFor="confirm-name">Type the name of the graph: {graph.name}</label>
          <input
            id="confirm-name"
            className="input"
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
            }}
          />
        </div>
        {remove.error && <ErrorNotice error={remove.error} />}
        <div className="foot">
          <Button onPress={onClose}>Keep it</Button>
          <Button type="submit" look="danger" isDisabled={typed !== graph.name || remove.isPending}>
            Delete the graph
          </Button>
        </div>
      </form>
    </Modal>
  );
}
