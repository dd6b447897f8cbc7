// What was deleted and can still come back.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  accessKeys,
  purge as purgeFromTrash,
  restore as restoreFromTrash,
  trashQuery,
  type Trashed,
} from "@/api/access";
import { ApiError } from "@/api/client";
import { keys } from "@/api/queries";
import { studyKeys } from "@/api/studies";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { Button, IconButton } from "@/components/kit/controls";
import { Ago, ErrorNotice } from "@/components/kit/feedback";
import { count, relativeTime } from "@/view/format";
import { toast } from "@/store/toasts";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";

const named = (row: Trashed) => (row.version === null ? row.name : `${row.name}, version ${row.version}`);

const KINDS: Record<Trashed["kind"], string> = {
  graphs: "graph",
  versions: "version",
  "question-sets": "question set",
  checkpoints: "checkpoint",
  reports: "report",
  studies: "study",
  tests: "test",
};

const GOES: Record<Trashed["kind"], string> = {
  graphs: "All its versions and what was made of them go now.",
  versions: "This version and its files go now; the others stay.",
  "question-sets": "Its questions go now; checkpoints and reports made with it stay.",
  checkpoints: "Its files go now; its reports and runs stay.",
  reports: "Its figures, its questions and its files go now.",
  studies: "Its cells, their reports and the checkpoints that nobody promoted go now.",
  tests: "What it answered goes with it.",
};

function TrashRow({ row }: { row: Trashed }) {
  const client = useQueryClient();
  const [purging, setPurging] = useState(false);
  const [name, setName] = useState("");
  const refresh = () =>
    Promise.all(
      [
        keys.graphs,
        keys.questionSets,
        keys.checkpoints,
        keys.reports,
        studyKeys.studies,
        accessKeys.trash,
        accessKeys.storage,
      ].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  const restore = useAct(() => restoreFromTrash(row, name.trim() || undefined), {
    done: async (back) => {
      toast(`${back} was restored.`);
      await refresh();
    },
  });
  const purge = useAct((typed: string) => purgeFromTrash(row, typed), {
    done: async () => {
      await refresh();
      setPurging(false);
    },
  });
  const taken = restore.error instanceof ApiError && restore.error.code === "name_taken";
  return (
    <tr>
      <td>
        <bdi>{row.name}</bdi>{" "}
        {row.kind !== "graphs" && (
          <span className="badge">{row.version === null ? KINDS[row.kind] : `version ${row.version}`}</span>
        )}{" "}
        {row.key !== null && (
          <span className="muted small">
            of <bdi>{row.graph_name}</bdi>
          </span>
        )}
      </td>
      <td className="muted nowrap hide-narrow">
        {row.triples !== null
          ? count(row.triples, "fact")
          : row.questions !== null && count(row.questions, "question")}
      </td>
      <td className="muted nowrap">
        <Ago iso={row.deleted_at} />
        {row.deleted_by && ` by ${row.deleted_by}`}
      </td>
      <td className="muted nowrap hide-narrow">goes {relativeTime(row.kept_until)}</td>
      <td className="acts">
        {restore.error && <ErrorNotice error={restore.error} />}
        {taken && (
          <input
            className="input"
            aria-label={`Another name for ${row.name}`}
            placeholder="Another name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <Button
          size="small"
          aria-label={`Restore ${named(row)}`}
          isDisabled={restore.isPending || (taken && !name.trim())}
          onPress={() => restore.mutate()}
        >
          Restore
        </Button>
        <IconButton icon="trash" label={`Delete ${named(row)} for good`} onPress={() => setPurging(true)} />
        <ConfirmDelete
          title={`Delete ${named(row)} for good?`}
          name={row.name}
          typed="graph"
          act="Delete for good"
          isOpen={purging}
          error={purge.error}
          isBusy={purge.isPending}
          onConfirm={purge.mutate}
          onClose={() => setPurging(false)}
        >
          {GOES[row.kind]} This cannot be undone.
        </ConfirmDelete>
      </td>
    </tr>
  );
}

export function Trash() {
  const { data } = useQuery(trashQuery);
  if (!data?.length) return null;
  return (
    <Card
      title="Deleted"
      beside={<span className="muted small">can still be restored, with everything made from them</span>}
    >
      <ResourceTable
        heads={[["Name"], ["Holds", "hide-narrow"], ["Deleted"], ["For good", "hide-narrow"]]}
        acts
      >
        {data.map((row) => (
          <TrashRow key={`${row.kind} ${row.key ?? `${row.id}.${row.version}`}`} row={row} />
        ))}
      </ResourceTable>
    </Card>
  );
}
