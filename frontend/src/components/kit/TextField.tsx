// Fields of forms: a line of text or a number, and several lines, each with what it is, a hint, and what is wrong.
import { useId, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes } from "react";

interface FieldProps {
  label: ReactNode;
  value: string | number;
  onChange: (text: string) => void;
  hint?: ReactNode;
  /** What is wrong with the value, in the hint's place. */
  error?: ReactNode;
}

interface FrameProps extends Pick<FieldProps, "label" | "hint" | "error"> {
  id: string;
  children: ReactNode;
}

function Frame({ label, hint, error, id, children }: FrameProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {(error ?? hint) != null && (
        <span id={`${id}-hint`} className={error ? "error" : "hint"}>
          {error ?? hint}
        </span>
      )}
    </div>
  );
}

type Own<T> = FieldProps & Omit<T, "onChange" | "value" | "className">;

/** Accepts what `input` does; `numeric` aligns its digits. */
export function TextField({
  label,
  hint,
  error,
  id,
  numeric,
  onChange,
  ...rest
}: Own<InputHTMLAttributes<HTMLInputElement>> & { numeric?: boolean | undefined }) {
  const made = useId();
  const own = id ?? made;
  return (
    <Frame label={label} hint={hint} error={error} id={own}>
      <input
        inputMode={numeric ? "numeric" : undefined}
        aria-invalid={error ? true : undefined}
        aria-describedby={(error ?? hint) != null ? `${own}-hint` : undefined}
        {...rest}
        id={own}
        className={numeric ? "input tabular" : "input"}
        onChange={(event) => onChange(event.target.value)}
      />
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  id,
  onChange,
  ...rest
}: Own<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const made = useId();
  const own = id ?? made;
  return (
    <Frame label={label} hint={hint} error={error} id={own}>
      <textarea {...rest} id={own} className="input" onChange={(event) => onChange(event.target.value)} />
    </Frame>
  );
}

interface FindProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** Where one types what to find in a list. */
export function Find({ label, value, onChange }: FindProps) {
  return (
    <input
      className="input find"
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
