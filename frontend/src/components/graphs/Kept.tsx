// What graphs take on the disk, and those that were deleted and can still come back.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  accessKeys,
  purge as purgeFromTrash,
  restoreGraph,
  restoreVersion,
  storageQuery,
  trashQuery,
  type Trashed,
} from "@/api/access";
import { ApiError } from "@/api/client";
import { keys } from "@/api/queries";
import { Button, Modal } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/says";
import { bytes, integer, relativeTime } from "@/store/format";
import { toast } from "@/store/toasts";
import { ConfirmName } from "@/components/kit/ConfirmName";

const named = (row: Trashed) => (row.version === null ? row.name : `${row.name}, version ${row.version}`);

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
      {row.version === null
        ? "All its versions and what was made of them go now."
        : `Version ${row.version} and its files go now; the others stay.`}{" "}
      This cannot be undone.
    </ConfirmName>
  );
}

function TrashRow({ row }: { row: Trashed }) {
  const client = useQueryClient();
  const [purging, setPurging] = useState(false);
  const [name, setName] = useState("");
  const refresh = () =>
    Promise.all(
      [keys.graphs, accessKeys.trash, accessKeys.storage].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const restore = useMutation({
    mutationFn: () =>
      row.version === null
        ? restoreGraph(row.id, name.trim() || undefined)
        : restoreVersion(row.id, row.version),
    onSuccess: async (graph) => {
      toast(`${graph.name}${row.version === null ? "" : `, version ${row.version},`} is back.`);
      await refresh();
    },
  });
  const taken = restore.error instanceof ApiError && restore.error.code === "name_taken";
  return (
    <tr>
      <td>
        {row.name} {row.version !== null && <span className="badge">version {row.version}</span>}
      </td>
      <td className="num hide-narrow">{integer(row.triples)}</td>
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
              <th className="num hide-narrow">Facts</th>
              <th>Deleted</th>
              <th className="hide-narrow">For good</th>
              <th>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((row) => (
              <TrashRow key={`${row.id}.${row.version}`} row={row} />
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
              <th className="num">Others</th>
              <th className="num">In all</th>
            </tr>
          </thead>
          <tbody>
            {data.graphs.map((row) => (
              <tr key={row.id}>
                <td>
                  {row.name} {row.trashed && <span className="badge">deleted</span>}
                </td>
                <td className="num hide-narrow">{bytes(row.uploads)}</td>
                <td className="num hide-narrow">{bytes(row.snapshots)}</td>
                <td className="num hide-narrow">{bytes(row.caches)}</td>
                <td className="num">{bytes(row.others)}</td>
                <td className="num">{bytes(row.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="small muted">
        Uploads under way: {bytes(data.uploads)}. Caches can be made again; others are checkpoints, labels,
        trajectories and reports.
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
