// The desks of one analyst: the one they sit at, and those that wait behind it, loaded and half judged. Pure.
import type { Item } from "@/api/review";
import { openDesk, type Desk } from "./review";

export interface Table {
  desk: Desk | null;
  ahead: readonly Desk[];
  /** The queue has nothing more for this analyst. */
  empty: boolean;
}

export const NO_TABLE: Table = { desk: null, ahead: [], empty: false };

/** What the server must not give again. */
export function holding({ desk, ahead }: Table): number[] {
  return [...(desk ? [desk] : []), ...ahead].map((one) => one.item.id);
}

/** An item that the server gave, behind those that are there; null: it has no more. */
export function receive(table: Table, item: Item | null): Table {
  if (item === null) return { ...table, empty: true };
  if (holding(table).includes(item.id)) return table;
  const desk = openDesk(item);
  return table.desk ? { ...table, ahead: [...table.ahead, desk] } : { ...table, desk };
}

/** On to the next desk. */
export function advance(table: Table): Table {
  const [desk = null, ...ahead] = table.ahead;
  return { ...table, desk, ahead };
}

/** Sit at `desk`; what was before the analyst waits, as they left it. */
export function putFirst(table: Table, desk: Desk): Table {
  const others = [...(table.desk ? [table.desk] : []), ...table.ahead];
  return { ...table, desk, ahead: others.filter((one) => one.item.id !== desk.item.id) };
}

/** Take an item off the table, wherever it is. */
export function drop(table: Table, item: number): Table {
  const left = table.desk?.item.id === item ? advance(table) : table;
  return { ...left, ahead: left.ahead.filter((one) => one.item.id !== item) };
}
