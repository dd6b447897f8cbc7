// Deleting what was made of a graph: asked once, undone at once by the toast, or later from the trash.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { accessKeys, restoreMade, type MadeKind } from "@/api/access";
import { deleteCheckpoint, deleteQuestions, deleteReport, keys } from "@/api/queries";
import { deleteStudy, studyKeys } from "@/api/studies";
import { removeTest } from "@/api/tests";
import type { Id } from "@/api/types";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { troubleOf } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import type { DialogProps } from "@/components/kit/controls";
import { toast } from "@/store/toasts";

const REMOVE: Record<MadeKind, (id: Id) => Promise<void>> = {
  "question-sets": deleteQuestions,
  checkpoints: deleteCheckpoint,
  reports: deleteReport,
  studies: deleteStudy,
  tests: removeTest,
};
/** What shows any of them. */
const SHOWN = [
  keys.questionSets,
  keys.checkpoints,
  keys.reports,
  studyKeys.studies,
  keys.graphs,
  accessKeys.trash,
];
const UNDO_MS = 12_000;

interface Props extends DialogProps {
  kind: MadeKind;
  id: Id;
  name: string;
  /** Goes elsewhere, where its own page was open. */
  onDeleted?: () => void | Promise<void>;
  /** What follows from it. */
  children: ReactNode;
}

export function DeleteMade({ kind, id, name, isOpen, onClose, onDeleted, children }: Props) {
  const client = useQueryClient();
  const refresh = () => Promise.all(SHOWN.map((queryKey) => client.invalidateQueries({ queryKey })));
  const remove = useAct(() => REMOVE[kind](id), {
    done: async () => {
      const undo = async () => {
        try {
          await restoreMade(kind, id);
          toast(`${name} was restored.`);
          await refresh();
        } catch (error) {
          toast(troubleOf(error).message);
        }
      };
      toast(`${name} was deleted.`, { ms: UNDO_MS, act: { label: "Undo", run: () => void undo() } });
      onClose();
      await onDeleted?.();
      await refresh();
    },
  });
  return (
    <ConfirmDelete
      name={name}
      isOpen={isOpen}
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {children} It can be restored from the list of what was deleted, on the graphs page, for some days.
    </ConfirmDelete>
  );
}
