// What graphs take on the disk, and those that were deleted and can still come back.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  accessKeys,
  purge as purgeFromTrash,
  restore as restoreFromTrash,
  storageQuery,
  trashQuery,
  type Trashed,
} from "@/api/access";
import { ApiError } from "@/api/client";
import { keys } from "@/api/queries";
import { Button, Modal } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/says";
import { bytes, count, relativeTime } from "@/store/format";
import { toast } from "@/store/toasts";
import { ConfirmName } from "@/components/kit/ConfirmName";

const named = (row: Trashed) => (row.version === null ? row.name : `${row.name}, version ${row.version}`);

const KINDS: Record<Trashed["kind"], string> = {
  graphs: "graph",
  versions: "version",
  "question-sets": "question set",
  checkpoints: "checkpoint",
  reports: "report",
};

const GOES: Record<Trashed["kind"], string> = {
  graphs: "All its versions and what was made of them go now.",
  versions: "This version and its files go now; the others stay.",
  "question-sets": "Its questions go now; checkpoints and reports made with it stay.",
  checkpoints: "Its files go now; its reports and runs stay.",
  reports: "Its figures, its questions and its files go now.",
};

function Purge({
  row,
  onClose,
  onDone,
}: {
  row: Trashed;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const purge = useMutation({
    mutationFn: (typed: string) => purgeFromTrash(row, typed),
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <ConfirmName
      name={row.name}
      act="Delete for good"
      error={purge.error}
      isBusy={purge.isPending}
      onConfirm={purge.mutate}
      onClose={onClose}
    >
      {GOES[row.kind]} This cannot be undone.
    </ConfirmName>
  );
}

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
        accessKeys.trash,
        accessKeys.storage,
      ].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  const restore = useMutation({
    mutationFn: () => restoreFromTrash(row, name.trim() || undefined),
    onSuccess: async (back) => {
      toast(`${back} is back.`);
      await refresh();
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
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        )}
        <Button
          size="small"
          aria-label={`Restore ${named(row)}`}
          isDisabled={restore.isPending || (taken && !name.trim())}
          onPress={() => {
            restore.mutate();
          }}
        >
          Restore
        </Button>
        <Button
          look="plain"
          size="small"
          icon="trash"
          label={`Delete ${named(row)} for good`}
          onPress={() => {
            setPurging(true);
          }}
        />
        <Modal
          title={`Delete ${named(row)} for good?`}
          isOpen={purging}
          role="alertdialog"
          onClose={() => {
            setPurging(false);
          }}
        >
          <Purge
            row={row}
            onDone={refresh}
            onClose={() => {
              setPurging(false);
            }}
          />
        </Modal>
      </td>
    </tr>
  );
}

export function Trash() {
  const { data } = useQuery(trashQuery);
  if (!data?.length) return null;
  return (
    <section className="card" aria-labelledby="trash-title">
      <header>
        <h2 id="trash-title">Deleted</h2>
        <span className="muted small">can still come back, with all that was made of them</span>
      </header>
      <div className="scroll-x">
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th className="hide-narrow">Holds</th>
              <th>Deleted</th>
              <th className="hide-narrow">For good</th>
              <th>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((row) => (
              <TrashRow key={`${row.kind} ${row.key ?? `${row.id}.${row.version}`}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Stored() {
  const { data, error } = useQuery(storageQuery);
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading what="what is stored" />;
  return (
    <div className="stack">
      <p>
        {bytes(data.total)} in all, {bytes(data.free)} free on the disk. Yours: {bytes(data.mine)}
        {data.quota === null ? "." : ` of ${bytes(data.quota)}.`}
      </p>
      <div className="scroll-x">
        <table className="table compact">
          <thead>
            <tr>
              <th>Graph</th>
              <th className="num hide-narrow">Files</th>
              <th className="num hide-narrow">Versions</th>
              <th className="num hide-narrow">Caches</th>
              <th className="num hide-narrow">Question sets</th>
              <th className="num">Others</th>
              <th className="num">In all</th>
            </tr>
          </thead>
          <tbody>
            {data.graphs.map((row) => (
              <tr key={row.id}>
                <td>
                  <bdi>{row.name}</bdi> {row.trashed && <span className="badge">deleted</span>}
                </td>
                <td className="num hide-narrow">{bytes(row.uploads)}</td>
                <td className="num hide-narrow">{bytes(row.snapshots)}</td>
                <td className="num hide-narrow">{bytes(row.caches)}</td>
                <td className="num hide-narrow">{bytes(row.question_sets)}</td>
                <td className="num">{bytes(row.others)}</td>
                <td className="num">{bytes(row.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="small muted">
        Uploads under way: {bytes(data.uploads)}. Caches can be made again; others are checkpoints, labels,
        trajectories and reports. What was deleted counts until it goes for good.
      </p>
    </div>
  );
}

export function StorageDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal wide title="What is stored" isOpen={isOpen} onClose={onClose}>
      {isOpen && <Stored />}
    </Modal>
  );
}
