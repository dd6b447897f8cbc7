// One of a few, or some of a few, each with a line that says what it means.
import { useId, type ReactNode } from "react";

interface Choice<T> {
  id: T;
  label: string;
  detail: string;
  disabled?: boolean;
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="choices">
      <legend className="label">{label}</legend>
      {children}
    </fieldset>
  );
}

function Words({ one }: { one: Choice<unknown> }) {
  return (
    <span className="two">
      <span>{one.label}</span>
      <small className="muted">{one.detail}</small>
    </span>
  );
}

interface OneOfProps<T> {
  label: string;
  options: readonly Choice<T>[];
  value: T | null | undefined;
  onChange: (id: T) => void;
}

export function OneOf<T extends string>({ label, options, value, onChange }: OneOfProps<T>) {
  const name = useId();
  return (
    <Field label={label}>
      {options.map((one) => (
        <div key={one.id} className="choice">
          <label>
            <input
              type="radio"
              name={name}
              checked={value === one.id}
              disabled={one.disabled}
              onChange={() => onChange(one.id)}
            />
            <Words one={one} />
          </label>
        </div>
      ))}
    </Field>
  );
}

interface SomeOfProps<T> {
  label: string;
  options: readonly Choice<T>[];
  value: readonly T[];
  onChange: (ids: T[]) => void;
  isDisabled?: boolean;
  /** Said when there is nothing to choose from. */
  children?: ReactNode;
}

export function SomeOf<T extends string | number>(props: SomeOfProps<T>) {
  const { label, options, value, onChange, isDisabled, children } = props;
  return (
    <Field label={label}>
      {options.length === 0 && children}
      {options.map((one) => (
        <div key={one.id} className="choice">
          <label>
            <input
              type="checkbox"
              checked={value.includes(one.id)}
              disabled={isDisabled}
              onChange={(event) => {
                const rest = value.filter((id) => id !== one.id);
                onChange(event.target.checked ? [...rest, one.id] : rest);
              }}
            />
            <Words one={one} />
          </label>
        </div>
      ))}
    </Field>
  );
}
