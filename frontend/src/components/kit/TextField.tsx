// A line of text, with what it is.
import { useId, type InputHTMLAttributes } from "react";

type Attributes = Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value" | "className">;

interface TextFieldProps extends Attributes {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

export function TextField({ label, id, onChange, ...rest }: TextFieldProps) {
  const own = useId();
  return (
    <div className="field">
      <label htmlFor={id ?? own}>{label}</label>
      <input
        {...rest}
        id={id ?? own}
        className="input"
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    </div>
  );
}
