// How much somebody may keep.
import { useId } from "react";

export function Quota({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>May keep, in GB</label>
      <input
        id={id}
        className="input"
        type="number"
        min={0}
        max={1_000_000}
        step="any"
        inputMode="decimal"
        placeholder="as everybody"
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
      <p id={`${id}-hint`} className="hint">
        Files, versions and uploads of their graphs. Empty: what this installation allows everybody.
      </p>
    </div>
  );
}
