// The versions of a graph: how each was made, what uses it, what changed, and a way back.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accessKeys, restoreVersion } from "@/api/access";
import { activateVersion, deleteVersion, versionsQuery, type Version } from "@/api/datasets";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { Button, IconButton } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";
import { bytes, integer } from "@/view/format";
import { toast } from "@/store/toasts";
import { ChangeGraph } from "./ChangeGraph";
import { ExportVersion } from "./ExportVersion";
import { usesOf } from "./uses";
import { VersionDiff } from "./VersionDiff";

const MADE: Record<Version["mode"], string> = {
  replace: "new content",
  append: "facts added",
  remove: "facts taken out",
  edit: "edits by hand",
};

interface RowProps {
  graph: Graph;
  version: Version;
  admin: boolean;
  onCompare: () => void;
}

function Row({ graph, version, admin, onCompare }: RowProps) {
  const client = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: keys.graphs });
  const activate = useAct(() => activateVersion(graph.id, version.version), {
    done: async () => {
      toast(`${graph.name} now answers from version ${version.version}.`);
      await refresh();
    },
  });
  const remove = useAct(() => deleteVersion(graph.id, version.version), {
    done: async () => {
      toast(`Version ${version.version} was deleted. It can be restored from the graphs page.`, {
        act: { label: "Restore", run: () => void restoreVersion(graph.id, version.version).then(refresh) },
        ms: 10_000,
      });
      await Promise.all([refresh(), client.invalidateQueries({ queryKey: accessKeys.trash })]);
    },
  });
  const uses = usesOf(version.used_by);
  return (
    <tr>
      <td>
        <strong>v{version.version}</strong> {version.current && <span className="badge good">in use</span>}
      </td>
      <td className="cell-main">
        {MADE[version.mode]}
        {version.base !== null && version.mode !== "replace" && ` to v${version.base}`}
        {version.note && <div className="small">{version.note}</div>}
        <div
          className="small muted elide"
          title={version.files.map((file) => `${file.name}, ${bytes(file.size)}`).join("\n")}
        >
          {version.files.map((file) => file.name).join(", ")}
        </div>
        {(activate.error ?? remove.error) && <ErrorNotice error={activate.error ?? remove.error} />}
      </td>
      <td className="num hide-narrow">{integer(version.triples)}</td>
      <td className="num hide-narrow">{integer(version.entities)}</td>
      <td className="num hide-narrow">{bytes(version.bytes)}</td>
      <td className="small muted hide-narrow">{uses || "nothing"}</td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={version.created_at} />
        {version.created_by && <div className="small">{version.created_by}</div>}
      </td>
      <td className="acts">
        {version.version > 1 && (
          <Button size="small" onPress={onCompare}>
            What changed
          </Button>
        )}
        <ExportVersion graph={graph} version={version} />
        {admin && !version.current && (
          <>
            <Button size="small" isDisabled={activate.isPending} onPress={() => activate.mutate()}>
              Use this one
            </Button>
            <IconButton
              icon="trash"
              label={`Delete version ${version.version}`}
              isDisabled={uses !== ""}
              onPress={() => setDeleting(true)}
            />
          </>
        )}
        <ConfirmDelete
          name={`version ${version.version}`}
          isOpen={deleting}
          isBusy={remove.isPending}
          onConfirm={() => {
            setDeleting(false);
            remove.mutate();
          }}
          onClose={() => setDeleting(false)}
        >
          Nothing uses it. It and its files, {bytes(version.bytes)}, can be restored from the list of deleted
          graphs for some days.
        </ConfirmDelete>
      </td>
    </tr>
  );
}

export function Versions({ graph, admin }: { graph: Graph; admin: boolean }) {
  const { data, error } = useQuery(versionsQuery(graph.id));
  const [changing, setChanging] = useState(false);
  const [compared, setCompared] = useState<number | null>(null);
  return (
    <Card
      title="Versions"
      id="versions"
      count={data?.length}
      acts={
        admin &&
        graph.state === "ready" && (
          <Button size="small" icon="upload" onPress={() => setChanging(true)}>
            Add, replace or remove
          </Button>
        )
      }
    >
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="the versions" />}
      {data?.length === 0 && (
        <p className="body muted">The first version is there when its import is done.</p>
      )}
      {data && data.length > 0 && (
        <ResourceTable
          heads={[
            ["Version"],
            ["Made of"],
            ["Facts", "num hide-narrow"],
            ["Entities", "num hide-narrow"],
            ["On disk", "num hide-narrow"],
            ["Used by", "hide-narrow"],
            ["Made", "hide-narrow"],
          ]}
          acts
        >
          {data.map((version) => (
            <Row
              key={version.version}
              graph={graph}
              version={version}
              admin={admin}
              onCompare={() => setCompared(version.version)}
            />
          ))}
        </ResourceTable>
      )}
      {data && (
        <VersionDiff
          graph={graph}
          versions={data.map((one) => one.version)}
          to={compared}
          onClose={() => setCompared(null)}
        />
      )}
      <ChangeGraph graph={graph} isOpen={changing} onClose={() => setChanging(false)} />
    </Card>
  );
}
