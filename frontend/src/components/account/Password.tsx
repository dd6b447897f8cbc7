// Choosing another password for oneself.
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ApiError } from "@/api/client";
import { changePassword, keys } from "@/api/queries";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { Card } from "@/components/kit/Card";
import { toast } from "@/store/toasts";

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isNew?: boolean;
  isFirst?: boolean | undefined;
  hint?: string;
  trouble?: string | undefined;
}

function Field({ label, value, onChange, isNew, isFirst, hint, trouble }: FieldProps) {
  const id = useId();
  const said = [hint && `${id}-hint`, trouble && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="password"
        autoComplete={isNew ? "new-password" : "current-password"}
        required
        autoFocus={isFirst ?? false}
        aria-invalid={trouble !== undefined}
        {...(said && { "aria-describedby": said })}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {trouble && (
        <p id={`${id}-error`} className="error" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}

interface FormProps {
  /** What the password that one has is called. */
  present: string;
  act: string;
  onDone: () => void;
  /** It is the one thing to do on the page. */
  isAlone?: boolean;
}

export function PasswordForm({ present, act, onDone, isAlone }: FormProps) {
  const client = useQueryClient();
  const [old, setOld] = useState("");
  const [chosen, setChosen] = useState("");
  const [again, setAgain] = useState("");
  const change = useAct(() => changePassword(old, chosen), {
    done: (answer) => {
      setOld("");
      setChosen("");
      setAgain("");
      client.setQueryData(keys.session, answer);
      onDone();
    },
  });
  const fields = change.error instanceof ApiError ? change.error.fields : {};
  const known = fields.old_password ?? fields.new_password;
  const differs = again !== "" && again !== chosen;
  return (
    <Form
      of={change}
      error={known ? null : change.error}
      act={act}
      isDisabled={!old || !chosen || again !== chosen}
      onSend={() => {
        if (!differs) change.mutate();
      }}
    >
      <Field
        label={present}
        isFirst={isAlone}
        value={old}
        onChange={setOld}
        trouble={fields.old_password?.join(" ")}
      />
      <Field
        label="New password"
        isNew
        hint="At least 8 characters; not a common one, not only digits, not like your name."
        value={chosen}
        onChange={setChosen}
        trouble={fields.new_password?.join(" ")}
      />
      <Field
        label="New password again"
        isNew
        value={again}
        onChange={setAgain}
        trouble={differs ? "The two passwords differ." : undefined}
      />
    </Form>
  );
}

export function Password() {
  return (
    <Card
      title="Password"
      beside={<span className="muted small">changing it logs you out everywhere else</span>}
    >
      <div className="body narrow">
        <PasswordForm
          present="Current password"
          act="Change the password"
          onDone={() => toast("Your password is changed.")}
        />
      </div>
    </Card>
  );
}
