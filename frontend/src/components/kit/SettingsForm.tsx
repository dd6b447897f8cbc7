// The settings of a method, each with its default and what it does.
import type { Setting } from "@/api/types";
import { Pick } from "./controls";
import { asText, complaint, rangeOf, type Typed } from "@/store/settingsForm";

interface Props {
  settings: readonly Setting[];
  typed: Typed;
  onChange: (typed: Typed) => void;
}

const human = (name: string) => name.replaceAll("_", " ");

function Help({ setting }: { setting: Setting }) {
  const range = rangeOf(setting);
  return (
    <span className="hint" id={`about-${setting.name}`}>
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
  const wrong = complaint(setting, text);
  if (setting.type === "bool") {
    return (
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={(text || asText(setting.default)) === "true"}
            aria-describedby={`about-${setting.name}`}
            onChange={(event) => onText(String(event.target.checked))}
          />
          {human(setting.name)}
        </label>
        <Help setting={setting} />
      </div>
    );
  }
  if (setting.type === "choice") {
    return (
      <div className="field">
        <Pick
          label={human(setting.name)}
          showLabel
          options={setting.choices.map((choice) => ({ id: choice, label: choice }))}
          value={text || asText(setting.default)}
          onChange={onText}
        />
        <Help setting={setting} />
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={`set-${setting.name}`}>{human(setting.name)}</label>
      <input
        id={`set-${setting.name}`}
        className="input tabular"
        inputMode={setting.type === "int" ? "numeric" : "text"}
        autoComplete="off"
        placeholder={asText(setting.default)}
        value={text}
        aria-invalid={wrong !== null}
        aria-describedby={`about-${setting.name}`}
        onChange={(event) => onText(event.target.value)}
      />
      {wrong && <span className="error">{wrong}</span>}
      <Help setting={setting} />
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
