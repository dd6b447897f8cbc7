// Whose values the settings of a method have that are left as they are: Clew's defaults, or its paper's.
import { PickField } from "./controls";

const DEFAULT = "default";
const FORMS = [
  { id: DEFAULT, label: "Clew's", detail: "The form that works best here" },
  { id: "paper", label: "The paper's", detail: "As the method's paper has it" },
];

interface Props {
  label: string;
  /** "paper", or "" for Clew's. */
  value: string;
  onChange: (form: string) => void;
}

export function FormPick({ label, value, onChange }: Props) {
  return (
    <div className="form-pick">
      <PickField
        label={label}
        className="preset-pick"
        options={FORMS}
        value={value || DEFAULT}
        onChange={(id) => onChange(id === DEFAULT ? "" : id)}
      />
      {value === "" && <p className="muted small form-note">Values in brackets are the paper’s.</p>}
    </div>
  );
}
