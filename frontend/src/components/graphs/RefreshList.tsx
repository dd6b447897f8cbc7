// The latest refreshes of a graph: when, what came of each, and what it changed.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { versionsQuery } from "@/api/datasets";
import type { Refresh } from "@/api/sources";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { Ago } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { describeOutcome } from "@/view/refreshes";
import { integer } from "@/view/format";
import { VersionDiff } from "./VersionDiff";

function Row({ refresh, onCompare }: { refresh: Refresh; onCompare: (version: number) => void }) {
  const [label, tone] = describeOutcome(refresh);
  const { version, error, before, after } = refresh;
  return (
    <tr>
      <td className="muted nowrap">
        <Ago iso={refresh.started_at} />
        <div className="small">
          {refresh.cause === "schedule" ? "scheduled" : (refresh.user ?? "by hand")}
        </div>
      </td>
      <td className="cell-main">
        <span className={`badge ${tone}`}>{label}</span> {version !== null && <strong>v{version}</strong>}
        {error && (
          <div className="small wrap-anywhere">
            {error.message} {error.hint}
          </div>
        )}
        {refresh.retry_at && (
          <div className="small muted">
            The source did not answer; attempt {refresh.attempt} <Ago iso={refresh.retry_at} />
          </div>
        )}
      </td>
      <td className="num hide-narrow">
        {version !== null && before > 0 && `${integer(before)} → ${integer(after)}`}
      </td>
      <td className="acts">
        {version !== null && version > 1 && (
          <Button size="small" onPress={() => onCompare(version)}>
            What changed
          </Button>
        )}
      </td>
    </tr>
  );
}

export function RefreshList({ graph, refreshes }: { graph: Graph; refreshes: readonly Refresh[] }) {
  const versions = useQuery(versionsQuery(graph.id)).data;
  const [compared, setCompared] = useState<number | null>(null);
  return (
    <>
      <ResourceTable heads={[["Refreshed"], ["Outcome"], ["Facts and passages", "num hide-narrow"]]} acts>
        {refreshes.map((refresh) => (
          <Row key={refresh.id} refresh={refresh} onCompare={setCompared} />
        ))}
      </ResourceTable>
      {versions && (
        <VersionDiff
          graph={graph}
          versions={versions.map(({ version }) => version)}
          to={compared}
          onClose={() => setCompared(null)}
        />
      )}
    </>
  );
}
