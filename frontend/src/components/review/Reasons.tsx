// Why: reason codes with their keys, and a comment, for one verdict.
import { useEffect, useRef } from "react";
import type { Reason } from "@/api/review";
import { REASONS } from "@/view/review";
import { pressedKey } from "@/view/keys";
import { Key } from "./KeyButton";

export function ReasonWords({ reasons }: { reasons: readonly Reason[] }) {
  return reasons.map((reason) => {
    const known = REASONS.find((one) => one.reason === reason);
    return (
      <span key={reason} className="badge" title={known?.about}>
        {known?.label ?? reason}
      </span>
    );
  });
}

interface Props {
  about: string;
  chosen: readonly Reason[];
  /** Null where a comment has a field of its own. */
  comment: string | null;
  open: boolean;
  /** The way in is shown. */
  near: boolean;
  onOpen: (open: boolean) => void;
  onReason: (reason: Reason) => void;
  onComment: (comment: string) => void;
}

export function Reasons({ about, chosen, comment, open, near, onOpen, onReason, onComment }: Props) {
  if (!open) {
    if (!near && !chosen.length && !comment) return null;
    return (
      <p className="row wrap small">
        <ReasonWords reasons={chosen} />
        {comment && <q className="muted">{comment}</q>}
        {near && (
          <button type="button" className="link small" onClick={() => onOpen(true)}>
            {chosen.length || comment ? "Change the reasons" : "Say why"} <Key act="reasons" />
          </button>
        )}
      </p>
    );
  }
  return (
    <div className="reasons" role="group" aria-label={`Why, for ${about}`}>
      <div className="row wrap">
        {REASONS.map(({ reason, label, about: meaning }, at) => (
          <button
            key={reason}
            type="button"
            className="chip reason"
            aria-pressed={chosen.includes(reason)}
            title={meaning}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onReason(reason)}
          >
            <kbd aria-hidden="true">{at + 1}</kbd> {label}
          </button>
        ))}
      </div>
      <div className="row">
        {comment !== null && (
          <CommentField about={about} comment={comment} onComment={onComment} onOpen={onOpen} />
        )}
        <button type="button" className="btn small" onClick={() => onOpen(false)}>
          Done <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </div>
  );
}

function CommentField({
  about,
  comment,
  onComment,
  onOpen,
}: { comment: string } & Pick<Props, "about" | "onComment" | "onOpen">) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <label className="row grow small">
      <span className="muted nowrap">
        Comment <Key act="comment" />
      </span>
      <input
        ref={field}
        className="input verdict-comment"
        maxLength={2000}
        value={comment}
        aria-label={`Comment on ${about}`}
        onChange={(event) => onComment(event.target.value)}
        onKeyDown={(event) => {
          if (pressedKey(event) !== "Enter" && pressedKey(event) !== "Escape") return;
          event.preventDefault();
          event.currentTarget.blur();
          onOpen(false);
        }}
      />
    </label>
  );
}
