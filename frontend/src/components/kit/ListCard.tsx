// A part of a page that lists things: what is wrong or on its way, what to do while there is none, and a table of them.
import type { ReactNode } from "react";
import { Card, type CardProps } from "./Card";
import { QueryState, type Asked } from "./feedback";
import { ResourceTable, type Head } from "./ResourceTable";

interface Props<T> extends Omit<CardProps, "children"> {
  of: Asked;
  /** What is asked for: "tokens". */
  what: string;
  /** Undefined while nobody knows them. */
  rows: readonly T[] | undefined;
  heads: readonly Head[];
  row: (one: T) => ReactNode;
  /** Said while there is none. */
  empty?: ReactNode;
  /** After the table. */
  children?: ReactNode;
}

/** The last column of its table holds buttons. */
export function ListCard<T>({ of, what, rows, heads, row, empty, children, ...card }: Props<T>) {
  return (
    <Card {...card}>
      <QueryState of={of} what={what} />
      {rows?.length === 0 && empty && <p className="body muted">{empty}</p>}
      {rows !== undefined && rows.length > 0 && (
        <ResourceTable heads={heads} acts>
          {rows.map(row)}
        </ResourceTable>
      )}
      {children}
    </Card>
  );
}
