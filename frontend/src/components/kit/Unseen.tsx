// In the place of a page whose thing is not to be seen: it is on its way, it is not there, or asking for it went wrong.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ApiError } from "@/api/client";
import { Button } from "./controls";
import { EmptyState, ErrorNotice, Loading, type Asked } from "./feedback";

interface Props {
  of: Asked;
  /** What the page is of: "study". */
  what: string;
  /** Where one can go instead: its name and its address. */
  instead: readonly [name: string, to: string];
  /** Why it may not be there. */
  children?: ReactNode;
}

export function Unseen({ of, what, instead: [name, to], children }: Props) {
  const { error } = of;
  if (!error) return <Loading what={`the ${what}`} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState
        page
        title={`This ${what} does not exist`}
        act={
          <Link className="btn primary" to={to}>
            {name}
          </Link>
        }
      >
        {children ?? "It may have been deleted, or the address is incomplete."}
      </EmptyState>
    );
  }
  return (
    <div className="page">
      <h1 className="sr-only">{`The ${what} could not be loaded`}</h1>
      <ErrorNotice error={error} acts={<Button onPress={() => void of.refetch()}>Try again</Button>} />
    </div>
  );
}
