// One checkpoint of a method: named when it is the only one, chosen among when there are several.
import type { Checkpoint } from "@/api/types";
import { relativeTime } from "@/store/format";
import { Pick } from "./controls";
import { Fingerprint } from "./says";

interface Props {
  checkpoints: readonly Checkpoint[];
  value: Checkpoint;
  onChange: (id: string) => void;
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
      options={checkpoints.map((one, index) => ({
        id: String(one.id),
        label: one.fingerprint.slice(0, 10),
        detail: `trained ${relativeTime(one.created_at)} on ${one.question_set_name || "a deleted set"}`,
        ...(index === 0 && { end: "newest" }),
      }))}
      value={String(value.id)}
      onChange={onChange}
    />
  );
}
