// One checkpoint of a method: named when it is the only one, chosen among when there are several. The one in use is
// what is asked where none is named; any other is a candidate until it is promoted.
import type { Checkpoint } from "@/api/types";
import { exactTime, relativeTime } from "@/view/format";
import { Pick } from "./controls";
import { Fingerprint } from "./feedback";

export function checkpointState({ in_use, promoted_at }: Checkpoint): string {
  return promoted_at ? "promoted" : in_use ? "in use" : "candidate";
}

/** Whether a checkpoint answers by default, in a word. */
export function CheckpointBadge({ checkpoint }: { checkpoint: Checkpoint }) {
  const { in_use, promoted_at, self_trained } = checkpoint;
  const why = promoted_at
    ? `Promoted ${exactTime(promoted_at)}: used whatever is trained later`
    : in_use
      ? `${self_trained ? "Better than none on questions written from the graph" : "It came with Clew or was in use before"}: used until another is promoted`
      : "Used only where it is named, until it is promoted";
  return (
    <span className={`badge ${in_use ? "good" : "warn"}`} title={why}>
      {checkpointState(checkpoint)}
    </span>
  );
}

interface Props {
  checkpoints: readonly Checkpoint[];
  value: Checkpoint;
  /** Null for the one in use: the server knows which that is. */
  onChange: (id: string | null) => void;
  /** Says whose it is, where several pickers stand together. */
  label?: string;
}

export function CheckpointPick({ checkpoints, value, onChange, label = "Checkpoint" }: Props) {
  if (checkpoints.length < 2) {
    return (
      <span className="small muted nowrap">
        checkpoint <Fingerprint value={value.fingerprint} />
      </span>
    );
  }
  return (
    <Pick
      label={label}
      className="pick-small"
      options={checkpoints.map((one) => ({
        id: String(one.id),
        label: one.fingerprint.slice(0, 10),
        detail: `trained ${relativeTime(one.created_at)} on ${one.question_set_name || "a deleted set"}`,
        end: checkpointState(one),
      }))}
      value={String(value.id)}
      onChange={(id) => onChange(checkpoints.some((one) => one.in_use && String(one.id) === id) ? null : id)}
    />
  );
}
