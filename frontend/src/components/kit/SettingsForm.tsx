// The settings of a method, each with its default and what it does.
import { useId } from "react";
import type { Setting } from "@/api/types";
import { PickField } from "./controls";
import { asText, complaint, rangeOf, type Typed } from "@/view/settingsForm";

interface Props {
  settings: readonly Setting[];
  typed: Typed;
  onChange: (typed: Typed) => void;
}

const human = (name: string) => name.replaceAll("_", " ");

function Help({ setting, id }: { setting: Setting; id: string }) {
  const range = rangeOf(setting);
  return (
    <span className="hint" id={id}>
      {setting.about} <span className="nowrap">Default {asText(setting.default) || "none"}</span>
      {range && `, ${range}`}.
    </span>
  );
}

function Field({
  setting,
  text,
  onText,
}: {
  setting: Setting;
  text: string;
  onText: (text: string) => void;
}) {
  // A page may have several such forms.
  const own = useId();
  const about = `${own}-about`;
  const wrong = complaint(setting, text);
  if (setting.type === "bool") {
    return (
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={(text || asText(setting.default)) === "true"}
            aria-describedby={about}
            onChange={(event) => onText(String(event.target.checked))}
          />
          {human(setting.name)}
        </label>
        <Help setting={setting} id={about} />
      </div>
    );
  }
  if (setting.type === "choice") {
    return (
      <div className="field">
        <PickField
          label={human(setting.name)}
          options={setting.choices.map((choice) => ({ id: choice, label: choice }))}
          value={text || asText(setting.default)}
          onChange={onText}
        />
        <Help setting={setting} id={about} />
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={own}>{human(setting.name)}</label>
      <input
        id={own}
        className="input tabular"
        inputMode={setting.type === "int" ? "numeric" : "text"}
        autoComplete="off"
        placeholder={asText(setting.default)}
        value={text}
        aria-invalid={wrong !== null}
        aria-describedby={about}
        onChange={(event) => onText(event.target.value)}
      />
      {wrong && <span className="error">{wrong}</span>}
      <Help setting={setting} id={about} />
    </div>
  );
}

export function SettingsForm({ settings, typed, onChange }: Props) {
  return (
    <div className="settings-grid">
      {settings.map((setting) => (
        <Field
          key={setting.name}
          setting={setting}
          text={typed[setting.name] ?? ""}
          onText={(text) => onChange({ ...typed, [setting.name]: text })}
        />
      ))}
    </div>
  );
}
