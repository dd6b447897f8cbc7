// How much somebody may keep.
import { TextField } from "@/components/kit/TextField";

export function Quota({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  return (
    <TextField
      label="Storage limit, in GB"
      type="number"
      min={0}
      max={1_000_000}
      step="any"
      inputMode="decimal"
      placeholder="as everybody"
      value={value}
      onChange={onChange}
      hint="Files, versions and uploads of their graphs. Leave it empty for the limit of this installation."
    />
  );
}
