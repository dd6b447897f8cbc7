// The cells of a study: where each is, what came of it, and the report with its questions.
import { useState } from "react";
import { Link } from "react-router";
import { downloadCheckpoint, keys, promoteCheckpoint } from "@/api/queries";
import { useManagesGraph } from "@/api/rights";
import type { StudyCell, StudyDetail } from "@/api/studies";
import { Card } from "@/components/kit/Card";
import { ActMenu, Pick } from "@/components/kit/controls";
import { ResourceTable, type Head } from "@/components/kit/ResourceTable";
import { fileName, saveFile } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { count, duration, metricName, metricValue, percent } from "@/view/format";
import { KEY_METRICS } from "@/view/reports";
import { differing } from "@/view/studies";
import { toast } from "@/store/toasts";
import { CausesBar } from "./CausesBar";

const TONES: Record<StudyCell["state"], string> = { waiting: "", done: "good", failed: "bad" };
const ALL = "all";

function State({ cell }: { cell: StudyCell }) {
  return (
    <>
      <span className={`badge ${TONES[cell.state]}`}>{cell.state}</span>
      {cell.error && (
        <p className="small bad-text">
          {cell.error.message} {cell.error.hint}
        </p>
      )}
    </>
  );
}

function CellActs({ study, cell }: { study: StudyDetail; cell: StudyCell }) {
  const managesGraph = useManagesGraph();
  const graph = study.sets.find((set) => set.name === cell.train)?.graph;
  const promote = useAct((id: number) => promoteCheckpoint(id), {
    changes: [keys.checkpoints, keys.graphs],
    done: () => toast(`The checkpoint of ${cell.variant}, seed ${cell.seed}, answers from now on.`),
    failed: "The checkpoint was not promoted.",
  });
  const { checkpoint } = cell;
  return (
    <div className="row">
      {cell.report !== null && (
        <Link className="btn small" to={`/experiments/${cell.report}?study=${study.id}`}>
          Questions
        </Link>
      )}
      {checkpoint !== null && (
        <ActMenu
          label={`More for ${cell.variant}, seed ${cell.seed}`}
          acts={[
            {
              id: "download",
              label: "Download the checkpoint",
              icon: "download" as const,
              onAction: () =>
                void saveFile(
                  fileName(`${study.name} ${cell.variant} seed ${cell.seed}`, "zip"),
                  downloadCheckpoint(checkpoint),
                  "The checkpoint",
                ),
            },
            graph != null &&
              managesGraph(graph) && {
                id: "promote",
                label: "Use this checkpoint from now on",
                icon: "star",
                onAction: () => promote.mutate(checkpoint),
              },
          ]}
        />
      )}
    </div>
  );
}

export function CellsCard({ study }: { study: StudyDetail }) {
  const [shown, setShown] = useState(ALL);
  const many = differing(study.cells);
  const cells = study.cells.filter((cell) => shown === ALL || cell.state === shown);
  const metrics = KEY_METRICS.filter((name) => study.cells.some((cell) => cell.metrics[name] != null));
  const heads: Head[] = [
    ["Variant"],
    ...(many.train ? [["Trained on", "hide-narrow"] as const] : []),
    ...(many.fraction ? [["Share", "num"] as const] : []),
    ...(many.test ? [["Tested on", "hide-narrow"] as const] : []),
    ["Seed", "num"],
    ["State"],
    ...metrics.map((name) => [metricName(name), "num hide-narrow"] as const),
    ["Lost at", "hide-narrow"],
    ["Training", "num hide-narrow"],
  ];
  return (
    <Card
      title="Cells"
      count={study.counts.all}
      beside={<span className="muted small">each a report of its own</span>}
      acts={
        <Pick
          label="State"
          value={shown}
          options={[
            { id: ALL, label: "All cells" },
            ...(["done", "failed", "waiting"] as const).map((id) => ({ id, label: id })),
          ]}
          onChange={setShown}
        />
      }
    >
      <ResourceTable heads={heads} acts>
        {cells.map((cell) => (
          <tr key={cell.id}>
            <th scope="row">
              <bdi>{cell.variant}</bdi>
            </th>
            {many.train && <td className="hide-narrow">{cell.train}</td>}
            {many.fraction && <td className="num">{percent(cell.fraction)}</td>}
            {many.test && <td className="hide-narrow">{cell.test}</td>}
            <td className="num">{cell.seed}</td>
            <td>
              <State cell={cell} />
            </td>
            {metrics.map((name) => (
              <td key={name} className="num hide-narrow">
                {metricValue(name, cell.metrics[name] ?? null)}
              </td>
            ))}
            <td className="hide-narrow">
              {cell.state === "done" && <CausesBar causes={cell.causes} n={cell.n ?? 0} />}
            </td>
            <td
              className="num hide-narrow"
              title={cell.training ? count(cell.training.questions, "training question") : undefined}
            >
              {cell.training?.seconds ? duration(cell.training.seconds) : "–"}
            </td>
            <td className="acts">
              <CellActs study={study} cell={cell} />
            </td>
          </tr>
        ))}
      </ResourceTable>
      {cells.length === 0 && <p className="body muted">No cell is {shown}.</p>}
    </Card>
  );
}
