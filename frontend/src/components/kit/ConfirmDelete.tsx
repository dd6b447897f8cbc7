// Asking before something is deleted: what follows from it, and, where others use it, its name to be typed.
import { useState, type ReactNode } from "react";
import { Button, Modal } from "./controls";
import { ErrorNotice } from "./feedback";
import { TextField } from "./TextField";

interface FormProps {
  /** What is deleted. */
  name: string;
  act?: string;
  /** What has the name, where it has to be typed. */
  typed?: string;
  error?: unknown;
  isBusy: boolean;
  onConfirm: (typed: string) => void;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
}

interface Props extends FormProps {
  title?: string;
  isOpen: boolean;
}

function Form({ name, act = "Delete", typed, error, isBusy, onConfirm, onClose, children }: FormProps) {
  const [text, setText] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(text);
      }}
    >
      <p>{children}</p>
      {typed && (
        <TextField
          label={`Type the name of the ${typed}: ${name}`}
          autoComplete="off"
          value={text}
          onChange={setText}
        />
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="foot">
        <Button onPress={onClose}>Keep it</Button>
        <Button type="submit" look="danger" isDisabled={(typed !== undefined && text !== name) || isBusy}>
          {act}
        </Button>
      </div>
    </form>
  );
}

export function ConfirmDelete({ title, isOpen, ...form }: Props) {
  return (
    <Modal title={title ?? `Delete ${form.name}?`} role="alertdialog" isOpen={isOpen} onClose={form.onClose}>
      <Form {...form} />
    </Modal>
  );
}
