// Where the kinds of a data model stand in its diagram: what refers to something is left of it. The same model always
// makes the same picture.
import type { DataModel, Kind, Reference } from "@/api/dataModel";

/** A reference, or a relation between kinds that edges are of. */
export type Line = Pick<Reference, "table" | "target" | "label" | "column">;

export interface Box {
  table: string;
  label: string;
  count: number;
  x: number;
  y: number;
  height: number;
  /** The references that begin here, one under the other. */
  references: readonly Line[];
}

export interface Arrow {
  key: string;
  path: string;
}

export interface Diagram {
  width: number;
  height: number;
  boxes: readonly Box[];
  arrows: readonly Arrow[];
}

export const WIDTH = 168;
export const HEAD = 28;
export const ROW = 20;
const ACROSS = 56;
const BETWEEN = 14;
const FOOT = 6;
/** For the arrows that turn back. */
const TURN = 36;
const ABREAST = 4;

interface Placed {
  kind: Kind;
  references: readonly Line[];
}

const heightOf = ({ references }: Placed) => HEAD + (references.length ? references.length * ROW + FOOT : 0);

/** How many references lead on from each kind at most; one that leads back to where it came from is not counted. */
function measureDepths(tables: readonly string[], targets: ReadonlyMap<string, readonly string[]>) {
  const depths = new Map<string, number>();
  const open = new Set<string>();
  const measure = (table: string): number => {
    const known = depths.get(table);
    if (known !== undefined) return known;
    open.add(table);
    const next = (targets.get(table) ?? []).filter((target) => !open.has(target)).map(measure);
    open.delete(table);
    const depth = next.length ? 1 + Math.max(...next) : 0;
    depths.set(table, depth);
    return depth;
  };
  tables.forEach(measure);
  return depths;
}

/** Sets the boxes of each column, from the right: each beside the middle of what it refers to, none over another. */
function placeColumns(columns: readonly (readonly Placed[])[]): Map<string, Box> {
  const boxes = new Map<string, Box>();
  const last = columns.length - 1;
  for (let column = last; column >= 0; column--) {
    const wanted = (columns[column] ?? []).map((one) => {
      const places = one.references.flatMap(({ target }) => boxes.get(target)?.y ?? []);
      return { one, y: places.length ? places.reduce((sum, y) => sum + y, 0) / places.length : 0 };
    });
    let next = 0;
    // The sort keeps the order of those that want the same place.
    for (const { one, y } of wanted.sort((a, b) => a.y - b.y)) {
      const height = heightOf(one);
      const { table, label, count } = one.kind;
      const top = Math.max(next, column === last ? 0 : Math.round(y));
      const x = column * (WIDTH + ACROSS);
      boxes.set(table, { table, label, count, x, y: top, height, references: one.references });
      next = top + height + BETWEEN;
    }
  }
  return boxes;
}

function drawArrow(from: Box, place: number, to: Box): string {
  const y1 = from.y + HEAD + place * ROW + ROW / 2;
  const y2 = to.y + HEAD / 2;
  const x1 = from.x + WIDTH;
  if (to.x > from.x) {
    const bend = Math.min(ACROSS, (to.x - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}`;
  }
  const x2 = to.x + WIDTH;
  const far = Math.max(x1, x2) + TURN;
  return `M${x1} ${y1}C${far} ${y1} ${far} ${y2} ${x2} ${y2}`;
}

/** Kinds that nothing joins stand below the others. */
export function layOut(model: Pick<DataModel, "kinds" | "references" | "edges">): Diagram {
  const tables = new Set(model.kinds.map((kind) => kind.table));
  const edges = model.edges.map(({ table, target, relation }) => ({
    ...{ table, target, label: relation, column: `${relation} ${target}` },
  }));
  const used: Line[] = [...model.references.filter((one) => one.is_used), ...edges].filter(
    (one) => tables.has(one.table) && tables.has(one.target),
  );
  const joined = new Set(used.flatMap((one) => [one.table, one.target]));
  const placed = model.kinds.map((kind) => ({
    kind,
    references: used.filter((one) => one.table === kind.table),
  }));
  const targets = new Map(
    placed.map(({ kind, references }) => [kind.table, references.map((one) => one.target)]),
  );
  const depths = measureDepths([...joined], targets);
  const most = Math.max(-1, ...depths.values());
  const columns = Array.from({ length: most + 1 }, (_, column) =>
    placed.filter(({ kind }) => depths.get(kind.table) === most - column),
  );
  const boxes = placeColumns(columns);
  const bottom = Math.max(0, ...[...boxes.values()].map((box) => box.y + box.height + BETWEEN));
  const alone = placed.filter(({ kind }) => !joined.has(kind.table));
  alone.forEach((one, place) => {
    const { table, label, count } = one.kind;
    const x = (place % ABREAST) * (WIDTH + ACROSS / 4);
    const y = bottom + Math.floor(place / ABREAST) * (HEAD + BETWEEN);
    boxes.set(table, { table, label, count, x, y, height: HEAD, references: [] });
  });
  const arrows = [...boxes.values()].flatMap((from) =>
    from.references.flatMap((reference, place) => {
      const to = boxes.get(reference.target);
      const key = `${reference.table}\n${reference.column}`;
      return to ? [{ key, path: drawArrow(from, place, to) }] : [];
    }),
  );
  const all = [...boxes.values()];
  const turns = used.some((one) => (boxes.get(one.target)?.x ?? 0) <= (boxes.get(one.table)?.x ?? 0));
  return {
    width: Math.max(0, ...all.map((box) => box.x + WIDTH)) + (turns ? TURN : 0),
    height: Math.max(0, ...all.map((box) => box.y + box.height)),
    boxes: model.kinds.flatMap((kind) => boxes.get(kind.table) ?? []),
    arrows,
  };
}
