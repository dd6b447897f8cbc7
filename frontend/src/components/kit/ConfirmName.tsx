// Deleting what others use asks to type its name.
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/says";
import { TextField } from "@/components/kit/TextField";

interface ConfirmNameProps {
  name: string;
  /** What has this name. */
  of?: string;
  act: string;
  error: unknown;
  isBusy: boolean;
  onConfirm: (typed: string) => void;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
}

export function ConfirmName({
  name,
  of = "graph",
  act,
  error,
  isBusy,
  onConfirm,
  onClose,
  children,
}: ConfirmNameProps) {
  const [typed, setTyped] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(typed);
      }}
    >
      <p>{children}</p>
      <TextField
        label={`Type the name of the ${of}: ${name}`}
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
      {error ? <ErrorNotice error={error} /> : null}
      <div className="foot">
        <Button onPress={onClose}>Keep it</Button>
        <Button type="submit" look="danger" isDisabled={typed !== name || isBusy}>
          {act}
        </Button>
      </div>
    </form>
  );
}
