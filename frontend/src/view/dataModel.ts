// Corrections of a data model, and what is said of its parts.
import type {
  ColumnChange,
  DataModel,
  EdgeKind,
  Kind,
  KindChange,
  ModelChanges,
  Reference,
  ReferenceChange,
} from "@/api/dataModel";
import { integer } from "@/view/format";

export const NO_CHANGES: ModelChanges = { kinds: [], references: [] };

/** Parts of `T`; undefined takes one back. */
type Parts<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** `row` with `parts` put in; undefined takes a part out. */
function put<T extends object>(row: T, parts: Parts<T>): T {
  const next = { ...row, ...parts };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as T;
}

/** `rows` with the one that `isIt` finds changed, or `blank` added and changed. */
function putIn<T extends object>(rows: readonly T[], isIt: (row: T) => boolean, blank: T, parts: Parts<T>) {
  const before = rows.find(isIt);
  const after = put(before ?? blank, parts);
  const isEmpty = Object.keys(after).length <= Object.keys(blank).length;
  if (!before) return isEmpty ? rows : [...rows, after];
  return rows.flatMap((row) => (row === before ? (isEmpty ? [] : [after]) : [row]));
}

export function changeKind(
  changes: ModelChanges,
  table: string,
  parts: Parts<Omit<KindChange, "table">>,
): ModelChanges {
  return {
    ...changes,
    kinds: putIn<KindChange>(changes.kinds, (kind) => kind.table === table, { table }, parts),
  };
}

export function changeColumn(
  changes: ModelChanges,
  table: string,
  name: string,
  parts: Parts<Omit<ColumnChange, "name">>,
): ModelChanges {
  const before = changes.kinds.find((kind) => kind.table === table)?.columns ?? [];
  const columns = putIn<ColumnChange>(before, (column) => column.name === name, { name }, parts);
  return changeKind(changes, table, { columns: columns.length > 0 ? columns : undefined });
}

const isOf = (place: Pick<Reference, "table" | "column">) => (one: Pick<Reference, "table" | "column">) =>
  one.table === place.table && one.column === place.column;

/** A column refers to one kind at most: what is said of it takes the place of what was said before. */
export function changeReference(changes: ModelChanges, reference: ReferenceChange): ModelChanges {
  const isIt = isOf(reference);
  const found = changes.references.some(isIt);
  return {
    ...changes,
    references: found
      ? changes.references.map((one) => (isIt(one) ? reference : one))
      : [...changes.references, reference],
  };
}

/** The reference of a column that is in use. */
export function findUsed(model: DataModel, table: string, column: string): Reference | undefined {
  return model.references.find((one) => one.is_used && isOf({ table, column })(one));
}

/** That a column refers to the kind of table `target`, or, for null, to nothing. Null where it is so already. */
export function chooseTarget(
  model: DataModel,
  table: string,
  column: string,
  target: string | null,
): ReferenceChange | null {
  const ofColumn = model.references.filter(isOf({ table, column }));
  const used = ofColumn.find((one) => one.is_used);
  if ((used?.target ?? null) === target) return null;
  if (target === null) return used ? pickReference({ ...used, is_used: false }) : null;
  const candidate = ofColumn.find((one) => one.target === target);
  if (candidate) return pickReference({ ...candidate, is_used: true });
  const kind = model.kinds.find((one) => one.table === target);
  const target_column = kind?.key ?? kind?.name[0] ?? kind?.columns[0]?.name;
  return target_column === undefined ? null : { table, column, target, target_column, is_used: true };
}

/** What can be said of a reference: its figures are the server's. */
export function pickReference(one: Reference): ReferenceChange {
  const { table, column, target, target_column, label, is_used } = one;
  return { table, column, target, target_column, label, is_used };
}

/** What a column is called, also where it refers to a kind. */
export function labelColumn(
  model: DataModel,
  changes: ModelChanges,
  table: string,
  column: string,
  label: string | undefined,
): ModelChanges {
  const next = changeColumn(changes, table, column, { label });
  const used = findUsed(model, table, column);
  if (!used) return next;
  const said = pickReference(used);
  return changeReference(next, put(said, { label }));
}

/** How many things a person corrected. */
export function countChanges(changes: ModelChanges): number {
  const ofKinds = changes.kinds.map(
    ({ columns = [], ...kind }) =>
      Object.keys(kind).length - 1 + columns.reduce((sum, column) => sum + Object.keys(column).length - 1, 0),
  );
  return ofKinds.reduce((sum, one) => sum + one, 0) + changes.references.length;
}

export class NotAModelError extends Error {}

function isList(value: unknown): value is readonly Record<string, unknown>[] {
  return Array.isArray(value) && value.every((row) => typeof row === "object" && row !== null);
}

/** `row` without what cannot be corrected, such as figures and samples. */
function only(row: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}

/**
 * The corrections that the text of a file holds: a whole model, or a part of one.
 *
 * @throws NotAModelError: it is not JSON, or names no kinds. The server checks the rest.
 */
export function readModelFile(text: string): ModelChanges {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotAModelError("it is not JSON");
  }
  const { kinds = [], references = [] } = (value ?? {}) as Record<string, unknown>;
  if (!isList(kinds) || !isList(references) || !(kinds.length + references.length)) {
    throw new NotAModelError("it names no kinds and no references");
  }
  return {
    kinds: kinds.map((kind) => ({
      ...only(kind, ["table", "label", "name", "key"]),
      ...(isList(kind.columns) && {
        columns: kind.columns.map((column) => only(column, ["name", "label", "type", "unit", "is_ignored"])),
      }),
    })) as unknown as KindChange[],
    references: references.map((one) =>
      only(one, ["table", "column", "target", "target_column", "label", "is_used"]),
    ) as unknown as ReferenceChange[],
  };
}

/** "820 of 830 match; not found: 7, 12". */
export function matchText({ matched, filled, unmatched }: Reference): string {
  const share = `${integer(matched)} of ${integer(filled)} match`;
  return unmatched.length > 0 ? `${share}; not found: ${unmatched.join(", ")}` : share;
}

/** "named by given name and family name". */
export function nameText({ name }: Pick<Kind, "name">): string {
  return name.length > 0 ? `named by ${name.join(" and ")}` : "named by number";
}

/** The kinds with `text` in their label, their table or one of their columns. */
export function findKinds(kinds: readonly Kind[], text: string): readonly Kind[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return kinds;
  return kinds.filter((kind) =>
    [kind.label, kind.table, ...kind.columns.map((column) => column.name)].some((name) =>
      name.toLowerCase().includes(wanted),
    ),
  );
}

/** The part of a model that `kinds` are in: with the kinds that they refer to or that refer to them. */
export function takeNeighbourhood(model: DataModel, kinds: readonly Kind[]): DataModel {
  const chosen = new Set(kinds.map((kind) => kind.table));
  const references = model.references.filter((one) => chosen.has(one.table) || chosen.has(one.target));
  const used = references.filter((one) => one.is_used);
  const shown = new Set([...chosen, ...used.flatMap((one) => [one.table, one.target])]);
  return { ...model, kinds: model.kinds.filter((kind) => shown.has(kind.table)), references };
}

/** The columns that may name a thing: those suggested first, then the others with text, and what names it now. */
export function listNameColumns(kind: Kind): readonly string[] {
  const texts = kind.columns.filter((column) => column.type === "text" && !column.is_ignored);
  return [...new Set([...kind.name_candidates, ...texts.map((column) => column.name), ...kind.name])];
}

/** What things of a table are called; of no table, things that no row describes. */
export function labelOfTable(model: Pick<DataModel, "kinds">, table: string): string {
  return model.kinds.find((kind) => kind.table === table)?.label ?? (table || "anything");
}

/** What becomes of an attribute of edges in the graph. */
export function edgeUseText(
  { relation }: Pick<EdgeKind, "relation">,
  { label, use }: Pick<EdgeKind["attributes"][number], "label" | "use">,
): string {
  switch (use) {
    case "measure":
      return `each edge becomes a thing of its own, from one end to the other, with its ${label}`;
    case "fact":
      return `becomes the relation “${relation} ${label}” of the thing that the edge begins at`;
    case "kept":
      return "is shown with the fact; questions cannot ask for it";
  }
}
