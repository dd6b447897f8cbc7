// Steps of correcting a data model: each can be undone and redone, and is listed with what it changed.
import type { ColumnChange, DataModel, KindChange, ModelChanges, ReferenceChange } from "@/api/dataModel";
import { NO_CHANGES } from "./dataModel";

export interface ModelHistory {
  readonly past: readonly ModelChanges[];
  readonly now: ModelChanges;
  readonly future: readonly ModelChanges[];
}

export const NO_HISTORY: ModelHistory = { past: [], now: NO_CHANGES, future: [] };

export const record = ({ past, now }: ModelHistory, next: ModelChanges): ModelHistory => ({
  past: [...past, now],
  now: next,
  future: [],
});

export function undo({ past, now, future }: ModelHistory): ModelHistory {
  const before = past.at(-1);
  return before ? { past: past.slice(0, -1), now: before, future: [now, ...future] } : { past, now, future };
}

export function redo({ past, now, future }: ModelHistory): ModelHistory {
  const [next, ...rest] = future;
  return next ? { past: [...past, now], now: next, future: rest } : { past, now, future };
}

/** One choice: of a kind (its table and the field), of a column (and its name), or what a column refers to. */
interface Choice {
  of: "kind" | "column" | "reference";
  table: string;
  column: string;
  field: string;
  value: unknown;
}

const keyOf = ({ of, table, column, field }: Choice) => JSON.stringify([of, table, column, field]);

function listChoices({ kinds, references }: ModelChanges): ReadonlyMap<string, Choice> {
  const choices: Choice[] = kinds.flatMap(({ table, columns = [], ...kind }) => [
    ...Object.entries(kind).map(
      ([field, value]) => ({ of: "kind", table, column: "", field, value }) as const,
    ),
    ...columns.flatMap(({ name, ...column }) =>
      Object.entries(column).map(
        ([field, value]) => ({ of: "column", table, column: name, field, value }) as const,
      ),
    ),
  ]);
  for (const value of references)
    choices.push({ of: "reference", table: value.table, column: value.column, field: "", value });
  return new Map(choices.map((choice) => [keyOf(choice), choice]));
}

function buildChanges(choices: Iterable<Choice>): ModelChanges {
  const kinds = new Map<string, KindChange & { columns?: ColumnChange[] }>();
  const references: ReferenceChange[] = [];
  for (const { of, table, column, field, value } of choices) {
    if (of === "reference") {
      references.push(value as ReferenceChange);
      continue;
    }
    const kind = kinds.get(table) ?? { table };
    if (of === "kind") kinds.set(table, { ...kind, [field]: value });
    else {
      const columns = kind.columns ?? [];
      const before = columns.find((one) => one.name === column) ?? { name: column };
      const after = { ...before, [field]: value };
      kinds.set(table, { ...kind, columns: [...columns.filter((one) => one.name !== column), after] });
    }
  }
  return { kinds: [...kinds.values()], references };
}

const FIELDS: Readonly<Record<string, string>> = {
  "kind label": "Label",
  "kind name": "Name",
  "kind key": "Key",
  "column label": "Relation",
  "column unit": "Unit",
  "column type": "Cells",
};

function describeChoice(model: DataModel, { of, table, column, field, value }: Choice): string {
  const label = (name: string) => model.kinds.find((kind) => kind.table === name)?.label ?? name;
  const place = of === "kind" ? label(table) : `${column} (${label(table)})`;
  if (of === "reference") {
    const { target, is_used } = value as ReferenceChange;
    return `${place} refers to ${is_used === false ? "nothing" : label(target)}`;
  }
  if (field === "is_ignored") return `${place} is ${value ? "left out" : "kept"}`;
  const shown = (Array.isArray(value) ? value : [value]).filter(
    (part) => typeof part === "string" && part !== "",
  );
  return `${FIELDS[`${of} ${field}`] ?? field} of ${place}: ${shown.join(" and ") || "none"}`;
}

export interface ModelEdit {
  text: string;
  /** The corrections without this one. */
  without: ModelChanges;
}

/** The steps that still hold, the latest first. */
export function listEdits(model: DataModel, { past, now }: ModelHistory): readonly ModelEdit[] {
  const current = listChoices(now);
  const states = [...past, now].map(listChoices);
  const edits = states.slice(1).flatMap((after, place) => {
    const before = states[place] ?? new Map<string, Choice>();
    const changed = [...after].filter(([key, { value }]) => !isSame(before.get(key)?.value, value));
    const [first] = changed;
    if (!first || !changed.every(([key, { value }]) => isSame(current.get(key)?.value, value))) return [];
    const left = new Map(current);
    for (const [key] of changed) {
      const earlier = before.get(key);
      if (earlier) left.set(key, earlier);
      else left.delete(key);
    }
    const tables = new Set(changed.map(([, choice]) => choice.table));
    const text =
      changed.length > 2 || tables.size > 1
        ? `${changed.length} choices of a model`
        : describeChoice(model, first[1]);
    return [{ key: changed.map(([key]) => key).join(), text, without: buildChanges(left.values()) }];
  });
  return [...new Map(edits.map((edit) => [edit.key, edit])).values()].reverse();
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
