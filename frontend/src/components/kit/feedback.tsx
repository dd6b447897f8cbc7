// How Clew says things: notices, errors, empty places, times, progress.
import type { ReactNode } from "react";
import { ApiError } from "@/api/client";
import type { JobState } from "@/api/types";
import { useOnline } from "./hooks";
import { exactTime, relativeTime } from "@/view/format";
import { Button } from "./controls";
import { Icon, type IconName } from "./Icon";

type Tone = "info" | "warn" | "bad" | "plain";

const ICONS: Record<Tone, IconName> = { info: "info", warn: "warn", bad: "warn", plain: "info" };

interface NoticeProps {
  tone?: Tone;
  title: string;
  children?: ReactNode;
  acts?: ReactNode;
  /** Read out at once, for what the person must know now. */
  urgent?: boolean;
}

export function Notice({ tone = "plain", title, children, acts, urgent }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role={urgent ? "alert" : "status"}>
      <Icon name={ICONS[tone]} />
      <div className="grow">
        <p>
          <strong>{title}</strong>
        </p>
        {children && <p>{children}</p>}
      </div>
      {acts && <div className="acts">{acts}</div>}
    </div>
  );
}

export interface Trouble {
  message: string;
  hint: string;
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ApiError) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.message : String(error), hint: "" };
}

/** What happened, what is kept, what to do next. */
export function ErrorNotice({ error, acts }: { error: unknown; acts?: ReactNode }) {
  const trouble = troubleOf(error);
  const online = useOnline();
  const isBack = online && error instanceof ApiError && error.code === "offline" && error.wasOffline;
  const { message, hint } = isBack
    ? { message: "The connection was lost.", hint: "It is back, and your input is kept. Try again." }
    : trouble;
  return (
    <Notice tone="bad" title={message} urgent acts={acts}>
      {hint || undefined}
    </Notice>
  );
}

export interface Asked {
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
}

/** Of a query that has no answer: what is wrong, or that it is on its way. */
export function QueryState({ of, what, retry }: { of: Asked; what: string; retry?: boolean }) {
  const again = retry && <Button onPress={() => void of.refetch()}>Try again</Button>;
  return (
    <>
      {of.error && <ErrorNotice error={of.error} acts={again} />}
      {of.isPending && <Loading what={what} />}
    </>
  );
}

export function EmptyState({
  title,
  children,
  act,
  page,
}: {
  title: string;
  children?: ReactNode;
  act?: ReactNode;
  /** It is all that the page says. */
  page?: boolean;
}) {
  return (
    <div className="empty">
      {page ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <p>{children}</p>}
      {act}
    </div>
  );
}

export function Ago({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={exactTime(iso)}>
      {relativeTime(iso)}
    </time>
  );
}

const TONES: Record<JobState, string> = {
  queued: "",
  running: "accent",
  done: "good",
  failed: "bad",
  cancelled: "warn",
};

/** The state of long work, in its word. */
export function JobBadge({ state }: { state: JobState }) {
  return <span className={`badge ${TONES[state]}`}>{state}</span>;
}

/** The beginning of a hash, the whole of it on hover. */
export function Fingerprint({ value, of }: { value: string; of?: string }) {
  return (
    <span className="mono muted" title={of ? `${of}: ${value}` : value}>
      {value.slice(0, 10)}
    </span>
  );
}

export function Progress({ label, share }: { label: string; share: number | null }) {
  const percent = share === null ? undefined : Math.round(share * 100);
  return (
    <div
      className={`progress ${share === null ? "unknown" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== undefined && { "aria-valuenow": percent })}
    >
      <div style={percent === undefined ? undefined : { width: `${percent}%` }} />
    </div>
  );
}

export function Spinner({ label }: { label?: string }) {
  return (
    <>
      <span className="spin" aria-hidden="true" />
      {label && <span className="sr-only">{label}</span>}
    </>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p className="empty" role="status">
      <span className="row">
        <Spinner /> Loading {what}…
      </span>
    </p>
  );
}
