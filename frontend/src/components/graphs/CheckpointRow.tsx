// A checkpoint in the list of a graph's: how good it was, and what to do with it.
import { Link } from "react-router";
import { downloadCheckpoint } from "@/api/queries";
import { useManagesGraph, useMayManage } from "@/api/rights";
import type { Checkpoint, Graph } from "@/api/types";
import { CheckpointBadge } from "@/components/kit/CheckpointPick";
import { ActMenu, Button } from "@/components/kit/controls";
import { Ago, Fingerprint } from "@/components/kit/feedback";
import { metricValue, percent } from "@/view/format";
import { saveFile } from "@/components/kit/files";
import { useMethodName } from "@/components/kit/useMethodName";
import { Gain } from "./Gain";

interface Props {
  graph: Graph;
  checkpoint: Checkpoint;
  all: readonly Checkpoint[];
  names: readonly string[];
  mayWrite: boolean;
  onEvaluate: () => void;
  onCompare: () => void;
  onSettings: () => void;
  onPromote: () => void;
  onRollBack: () => void;
  onDelete: () => void;
}

export function CheckpointRow(props: Props) {
  const methodName = useMethodName();
  const { graph, checkpoint, all, names, mayWrite } = props;
  const { onEvaluate, onCompare, onSettings, onPromote, onRollBack, onDelete } = props;
  const mayManage = useMayManage();
  const managesGraph = useManagesGraph()(graph.id);
  const ask = `/?graph=${graph.id}&method=${checkpoint.method}&checkpoint=${checkpoint.id}`;
  return (
    <tr>
      <td className="nowrap">
        {methodName(checkpoint.method)} {checkpoint.current && <CheckpointBadge checkpoint={checkpoint} />}
        {checkpoint.foreign && (
          <span className="badge" title="Trained on another graph or version; its figures are of that one">
            another graph
          </span>
        )}
        {!checkpoint.current && (
          <span
            className="badge warn"
            title="Trained on an earlier snapshot of this graph; it cannot be asked any more"
          >
            earlier snapshot
          </span>
        )}
      </td>
      <td>
        <Gain checkpoint={checkpoint} all={all} />
      </td>
      {names.map((name) => (
        <td key={name} className="num">
          {metricValue(name, checkpoint.metrics[name] ?? null)}
        </td>
      ))}
      <td>
        {checkpoint.question_set_name}
        {checkpoint.fraction < 1 && (
          <span className="muted small"> {percent(checkpoint.fraction)} of it</span>
        )}
      </td>
      <td className="num">{checkpoint.seed}</td>
      <td>
        <Fingerprint value={checkpoint.fingerprint} />
      </td>
      <td className="muted nowrap">
        <Ago iso={checkpoint.created_at} />
      </td>
      <td className="acts">
        {checkpoint.current && (
          <Link
            className="btn small"
            to={ask}
            aria-label={`Ask with ${checkpoint.method} ${checkpoint.fingerprint.slice(0, 10)}`}
          >
            Ask
          </Link>
        )}{" "}
        {mayWrite && checkpoint.current && (
          <Button
            size="small"
            aria-label={`Evaluate ${checkpoint.method} ${checkpoint.fingerprint.slice(0, 10)}`}
            onPress={onEvaluate}
          >
            Evaluate
          </Button>
        )}
        <ActMenu
          label={`More for ${checkpoint.method}`}
          acts={[
            { id: "settings", label: "How it was trained", icon: "info", onAction: onSettings },
            {
              id: "download",
              label: "Download",
              icon: "download" as const,
              onAction: () =>
                void saveFile(
                  `${checkpoint.method}-${checkpoint.fingerprint.slice(0, 10)}.zip`,
                  downloadCheckpoint(checkpoint.id),
                  "The checkpoint",
                ),
            },
            mayWrite &&
              checkpoint.current && {
                id: "compare",
                label: "Compare with what answers now…",
                icon: "compare",
                onAction: onCompare,
              },
            managesGraph &&
              checkpoint.current &&
              !checkpoint.promoted_at && {
                id: "promote",
                label: "Promote",
                icon: "check",
                onAction: onPromote,
              },
            managesGraph &&
              checkpoint.promoted_at && {
                id: "back",
                label: "Roll back",
                icon: "undo",
                onAction: onRollBack,
              },
            mayWrite &&
              mayManage(checkpoint.promoted_at ? null : checkpoint.created_by, graph.id) && {
                id: "delete",
                label: "Delete…",
                icon: "trash",
                bad: true,
                onAction: onDelete,
              },
          ]}
        />
      </td>
    </tr>
  );
}
