// Deleting a graph: what goes with it, and its name to be typed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { accessKeys } from "@/api/access";
import { dependentsQuery } from "@/api/datasets";
import { deleteGraph, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import type { DialogProps } from "@/components/kit/controls";
import { toast } from "@/store/toasts";
import { usesOf } from "./uses";

export function DeleteGraph({ graph, isOpen, onClose }: DialogProps & { graph: Graph }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const dependents = useQuery({ ...dependentsQuery(graph.id), enabled: isOpen });
  const uses = dependents.data ? usesOf(dependents.data) : "";
  const remove = useMutation({
    mutationFn: (typed: string) => deleteGraph(graph.id, typed),
    onSuccess: async () => {
      toast(`${graph.name} was deleted. It can be restored from the graphs page.`);
      await navigate("/graphs");
      await Promise.all(
        [keys.graphs, accessKeys.trash].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  return (
    <ConfirmDelete
      name={graph.name}
      typed="graph"
      act="Delete the graph"
      isOpen={isOpen}
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={remove.mutate}
      onClose={onClose}
    >
      Nobody can ask it any more, and everything made from it goes with it
      {uses ? `: ${uses}` : ""}. It can be restored from the list of deleted graphs for some days.
    </ConfirmDelete>
  );
}
