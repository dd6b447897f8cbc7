// A button that opens a dialog.
import { useState, type ReactNode } from "react";
import { Button, Modal, type ButtonProps } from "./controls";

interface Props extends Omit<ButtonProps, "children" | "onPress"> {
  /** What the button says. */
  act: string;
  /** The dialog's; without one, what the button says. */
  title?: string;
  /** What is in the dialog, which `close` closes. */
  children: (close: () => void) => ReactNode;
}

export function DialogButton({ act, title = act, children, ...button }: Props) {
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
  };
  return (
    <>
      <Button {...button} onPress={() => setOpen(true)}>
        {act}
      </Button>
      <Modal title={title} isOpen={open} onClose={close}>
        {open && children(close)}
      </Modal>
    </>
  );
}
