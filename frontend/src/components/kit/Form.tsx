// A form that sends one thing: its fields, what went wrong, and the buttons that leave and send it.
import { useEffect, useRef, type ReactNode } from "react";
import { Button } from "./controls";
import { ErrorNotice } from "./feedback";

interface Sent {
  isPending: boolean;
  error: unknown;
}

/** What it sends: nothing is sent twice at once, and its error stands above the buttons. */
type Sends = { of: Sent & { mutate: () => void }; onSend?: never } | { of: Sent; onSend: () => void };

type Props = Sends & {
  /** What the button that sends it says. */
  act: ReactNode;
  look?: "primary" | "danger";
  /** In the place of the mutation's own error. */
  error?: unknown;
  isDisabled?: boolean;
  /** Without it, there is no button that leaves. */
  onClose?: () => void;
  leave?: string;
  /** What stands before the buttons. */
  foot?: ReactNode;
  className?: string;
  /** What is wrong is said by the form's own fields, not by the browser. */
  noValidate?: boolean;
  children: ReactNode;
};

export function Form({ of, act, look = "primary", onSend, isDisabled = false, onClose, ...rest }: Props) {
  const { leave = "Cancel", foot, className = "stack", noValidate, children, error = of.error } = rest;
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) notice.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  return (
    <form
      className={className}
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault();
        if (onSend === undefined) of.mutate();
        else onSend();
      }}
    >
      {children}
      {error ? (
        <div ref={notice}>
          <ErrorNotice error={error} />
        </div>
      ) : null}
      <div className="foot">
        {foot}
        {onClose && <Button onPress={onClose}>{leave}</Button>}
        <Button type="submit" look={look} isDisabled={isDisabled || of.isPending}>
          {act}
        </Button>
      </div>
    </form>
  );
}
