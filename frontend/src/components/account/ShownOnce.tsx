// A secret that the server tells once.
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/controls";
import { Notice } from "@/components/kit/feedback";

interface Props {
  value: string;
  /** After what is said of it. */
  more?: ReactNode;
  children: ReactNode;
}

export function ShownOnce({ value, more, children }: Props) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="stack">
      <Notice tone="info" title="Copy it now">
        It is shown this once and cannot be read again.
      </Notice>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- to be selected by keyboard */}
      <p className="mono token" tabIndex={0}>
        {value}
      </p>
      <p className="small muted">{children}</p>
      {more}
      <div className="foot">
        <Button
          look="primary"
          autoFocus
          onPress={() => {
            void navigator.clipboard.writeText(value).then(() => {
              setCopied(true);
            });
          }}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
    </div>
  );
}
