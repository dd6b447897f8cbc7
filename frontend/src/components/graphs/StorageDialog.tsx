// What graphs take on the disk.
import { useQuery } from "@tanstack/react-query";
import { storageQuery } from "@/api/access";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { bytes } from "@/view/format";

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
      <ResourceTable
        heads={[
          ["Graph"],
          ["Files", "num hide-narrow"],
          ["Versions", "num hide-narrow"],
          ["Caches", "num hide-narrow"],
          ["Question sets", "num hide-narrow"],
          ["Others", "num"],
          ["Total", "num"],
        ]}
        compact
      >
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
      </ResourceTable>
      <p className="small muted">
        Uploads under way: {bytes(data.uploads)}. Caches can be made again; others are checkpoints, labels,
        trajectories and reports. What was deleted counts until it goes for good.
      </p>
    </div>
  );
}

export function StorageDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Modal wide title="What is stored" isOpen={isOpen} onClose={onClose}>
      {isOpen && <Stored />}
    </Modal>
  );
}
