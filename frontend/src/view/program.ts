// A program as JSON by names: what of each of its steps can be changed, and the program after changes. Pure.
//
// Changes name places of the program as it was read, so that each stands by itself and any of them can be taken back.

export type Json = unknown;

export interface ProgramNode {
  readonly op: string;
  readonly [field: string]: Json;
}

export interface Relation {
  readonly name: string;
  readonly inverse: boolean;
}

export type Place = readonly string[];

/** `set` puts a value at a place; `drop` puts what stands in the field `keep` of the operation in the operation's stead. */
export type Edit =
  | { readonly kind: "set"; readonly at: Place; readonly value: Json }
  | { readonly kind: "drop"; readonly at: Place; readonly keep: string };

export interface Option {
  readonly value: Json;
  readonly label: string;
}

/** Something of a step that can be changed; `at` is where it stands. */
export type Field =
  | { readonly kind: "relation"; readonly at: Place; readonly label: string; readonly value: Relation }
  | { readonly kind: "entity"; readonly at: Place; readonly label: string; readonly value: string }
  | { readonly kind: "text"; readonly at: Place; readonly label: string; readonly value: string }
  | { readonly kind: "whole"; readonly at: Place; readonly label: string; readonly value: number }
  | { readonly kind: "constant"; readonly at: Place; readonly label: string; readonly value: ProgramNode }
  | {
      readonly kind: "choice";
      readonly at: Place;
      readonly label: string;
      readonly value: Json;
      readonly options: readonly Option[];
    };

const COMPARISONS: readonly Option[] = [
  { value: "<", label: "less than (<)" },
  { value: "<=", label: "at most (≤)" },
  { value: "=", label: "exactly (=)" },
  { value: "!=", label: "not (≠)" },
  { value: ">=", label: "at least (≥)" },
  { value: ">", label: "more than (>)" },
];
const ENDS: readonly Option[] = [
  { value: true, label: "largest or latest" },
  { value: false, label: "smallest or earliest" },
];
const FOLDINGS: readonly Option[] = [
  { value: "sum", label: "sum" },
  { value: "average", label: "average" },
  { value: "min", label: "smallest" },
  { value: "max", label: "largest" },
];
const MATCHES: readonly Option[] = [
  { value: "contains", label: "contains" },
  { value: "starts with", label: "starts with" },
  { value: "ends with", label: "ends with" },
];
const OPERATIONS: readonly Option[] = [
  { value: "difference", label: "difference" },
  { value: "days", label: "days between" },
  { value: "sum", label: "sum" },
  { value: "product", label: "product" },
  { value: "ratio", label: "ratio" },
  { value: "share", label: "share in percent" },
];
/** Operations that say which of a set are kept, by the field of that set. */
const CONDITIONS: Readonly<Record<string, string>> = {
  Filter: "source",
  TextFilter: "source",
  Top: "source",
  Except: "source",
};

export const placeKey = (place: Place): string => place.join(".");

const startsWith = (place: Place, start: Place): boolean =>
  start.length <= place.length && start.every((name, at) => place[at] === name);

export function isNode(value: Json): value is ProgramNode {
  return typeof value === "object" && value !== null && "op" in value && typeof value.op === "string";
}

function isRelation(value: Json): value is Relation {
  return typeof value === "object" && value !== null && "name" in value && "inverse" in value;
}

export function same(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [ones, others] = [Object.entries(one), Object.entries(other)];
  const known = new Map<string, Json>(others);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    ones.length === others.length &&
    ones.every(([name, value]) => known.has(name) && same(value, known.get(name)))
  );
}

/** What stands at a place; undefined where there is no such place. */
export function at(program: Json, place: Place): Json {
  return place.reduce<Json>(
    (here, name) =>
      typeof here === "object" && here !== null ? (here as Readonly<Record<string, Json>>)[name] : undefined,
    program,
  );
}

function replaced(value: Json, old: Json, by: Json): Json {
  if (same(value, old)) return by;
  if (Array.isArray(value)) return value.map((one) => replaced(one, old, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, old, by)]));
}

function rebuilt(value: Json, place: Place, edits: readonly Edit[]): Json {
  const here = edits.filter((edit) => startsWith(edit.at, place));
  if (!here.length) return value;
  const key = placeKey(place);
  const last = here.findLast((edit) => placeKey(edit.at) === key);
  if (last?.kind === "set") return last.value;
  if (Array.isArray(value)) return value.map((one, index) => rebuilt(one, [...place, String(index)], here));
  if (typeof value !== "object" || value === null) return value;
  const fields: Record<string, Json> = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, rebuilt(one, [...place, name], here)]),
  );
  const { op, source, without } = value as Readonly<Record<string, Json>>;
  // "All but the largest" says the same set twice; its steps tell it once, so one change is of both.
  if (op === "Except" && !same(source, fields.source)) {
    fields.without = replaced(rebuilt(without, [...place, "without"], here), source, fields.source);
  }
  return last ? fields[last.keep] : fields;
}

/** The program after the changes; where two are of one place, the later counts. */
export function edited(program: ProgramNode, edits: readonly Edit[]): ProgramNode {
  return rebuilt(program, [], edits) as ProgramNode;
}

/** Whether something around a place was left out, and the place with it. */
export function isDropped(edits: readonly Edit[], place: Place): boolean {
  return edits.some(
    (edit) =>
      edit.kind === "drop" && startsWith(place, edit.at) && !startsWith(place, [...edit.at, edit.keep]),
  );
}

const sides = (node: ProgramNode): readonly [string, string] =>
  node.op === "Except" ? ["source", "without"] : ["left", "right"];

/**
 * How a step can be left out; null where it cannot.
 *
 * @param step place of the step
 * @param told places of all steps
 */
export function dropOf(program: ProgramNode, step: Place, told: readonly Place[]): Edit | null {
  const node = at(program, step);
  if (!isNode(node)) return null;
  const field = CONDITIONS[node.op];
  if (field !== undefined) return { kind: "drop", at: step, keep: field };
  if (node.op === "And" || node.op === "Or") {
    const own = sides(node).filter((side) => told.some((place) => startsWith(place, [...step, side])));
    const [keep] = own;
    return own.length === 1 && keep !== undefined ? { kind: "drop", at: step, keep } : null;
  }
  // The first of the steps says one side of what the next one adds to.
  const [above, side] = [step.slice(0, -1), step.at(-1)];
  const parent = at(program, above);
  if (!isNode(parent) || parent.op !== "And" || side === undefined) return null;
  const keep = sides(parent).find((name) => name !== side);
  return keep === undefined ? null : { kind: "drop", at: above, keep };
}

/** So many places leave out nothing: each thing has its number. */
const EVERY = 1_000_000;

function ownFields(node: ProgramNode, place: Place): Field[] {
  const choice = (name: string, label: string, options: readonly Option[]): Field[] =>
    node[name] === undefined
      ? []
      : [{ kind: "choice", at: [...place, name], label, value: node[name], options }];
  const whole = (name: string, label: string): Field[] =>
    typeof node[name] === "number" ? [{ kind: "whole", at: [...place, name], label, value: node[name] }] : [];
  switch (node.op) {
    case "Constant":
      return [{ kind: "constant", at: place, label: "Value", value: node }];
    case "Filter":
    case "Holds":
      return choice("comparison", "Comparison", COMPARISONS);
    case "Top":
      return [
        ...choice("largest", "Order", ENDS),
        ...(node.count === EVERY ? [] : [...whole("rank", "Place"), ...whole("count", "How many")]),
      ];
    case "Fold":
      return choice("how", "Taken together as", FOLDINGS);
    case "Arithmetic":
      return choice("operation", "Calculated as", OPERATIONS);
    case "Key":
      return choice("folding", "Of several values", FOLDINGS);
    case "TextFilter":
      return [
        ...choice("match", "Match", MATCHES),
        ...(typeof node.text === "string"
          ? [{ kind: "text" as const, at: [...place, "text"], label: "Text", value: node.text }]
          : []),
      ];
    default:
      return [];
  }
}

/**
 * What of a step can be changed: of its operation, and of those below it that no other step tells.
 *
 * @param step place of the step
 * @param told places of all steps
 */
export function fieldsOf(program: ProgramNode, step: Place, told: readonly Place[]): readonly Field[] {
  const others = told.filter((place) => placeKey(place) !== placeKey(step));
  const visit = (node: ProgramNode, place: Place, twin: Json): Field[] => {
    const found = ownFields(node, place);
    for (const [name, value] of Object.entries(node)) {
      const below = [...place, name];
      if (isNode(value)) {
        if (others.some((other) => startsWith(other, below)) || (twin !== undefined && same(value, twin))) {
          continue;
        }
        found.push(...visit(value, below, node.op === "Except" && name === "without" ? node.source : twin));
      } else if (isRelation(value)) {
        found.push({ kind: "relation", at: below, label: "Relation", value });
      } else if (Array.isArray(value)) {
        value.forEach((one: Json, index) => {
          const spot = [...below, String(index)];
          if (isRelation(one)) found.push({ kind: "relation", at: spot, label: "Relation", value: one });
          else if (typeof one === "string")
            found.push({ kind: "entity", at: spot, label: "Entity", value: one });
        });
      }
    }
    return found;
  };
  const node = at(program, step);
  // Of the set that something is left out of, and that the steps told before.
  const outer = step.flatMap((name, depth) => {
    const above = at(program, step.slice(0, depth));
    return name === "without" && isNode(above) ? [above.source] : [];
  });
  return isNode(node) ? visit(node, step, outer.at(-1)) : [];
}
