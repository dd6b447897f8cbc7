// The layered layout: columns by distance from the topic entities, read from left to right. It is
// incremental: what has a place keeps it, what is new takes the nearest free slot of its column.
import type { GraphModel, GraphNode } from "@/store/graphModel";
import type { Point } from "./handle";

const COLUMN = 210;
const ROW = 64;
/** A column of more nodes than this goes on in sub-columns, as a block about as high as wide. */
const ROWS_MIN = 11;
const SUBCOLUMN = 120;

function neighboursOf(model: GraphModel): Map<number, number[]> {
  const near = new Map<number, number[]>();
  for (const { source, target } of model.edges) {
    near.set(source, [...(near.get(source) ?? []), target]);
    near.set(target, [...(near.get(target) ?? []), source]);
  }
  return near;
}

function rowsFor(size: number): number {
  return Math.max(ROWS_MIN, Math.ceil(Math.sqrt(size * 2)));
}

/** Left edge of each column, wide enough for the sub-columns of those before it. */
function columnStarts(byDepth: ReadonlyMap<number, GraphNode[]>): Map<number, number> {
  const starts = new Map<number, number>();
  let x = 0;
  for (const depth of [...byDepth.keys()].sort((a, b) => a - b)) {
    starts.set(depth, x);
    const size = byDepth.get(depth)?.length ?? 1;
    const columns = Math.ceil(size / rowsFor(size));
    x += COLUMN + (columns - 1) * SUBCOLUMN;
  }
  return starts;
}

/** Slots of one column, the middle first: 0, +1, -1, +2, ... then the next sub-column. */
function* slots(x: number, rows: number): Generator<Point, never> {
  for (let column = 0; ; column += 1) {
    for (let i = 0; i < rows; i += 1) {
      const row = i % 2 ? (i + 1) / 2 : -i / 2;
      // Odd sub-columns sit half a row lower, so that labels do not run into each other.
      yield { x: x + column * SUBCOLUMN, y: (row + (column % 2) / 2) * ROW };
    }
  }
}

function mean(values: readonly number[]): number | null {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** Places for all nodes. Those in `kept` stay where they are. */
export function flowLayout(
  model: GraphModel,
  kept: ReadonlyMap<number, Point> = new Map(),
): Map<number, Point> {
  const byDepth = new Map<number, GraphNode[]>();
  for (const node of model.nodes) byDepth.set(node.depth, [...(byDepth.get(node.depth) ?? []), node]);
  const near = neighboursOf(model);
  const starts = columnStarts(byDepth);
  const places = new Map<number, Point>(
    [...kept].filter(([id]) => model.nodes.some((node) => node.id === id)),
  );
  const taken = (at: Point) =>
    [...places.values()].some(
      (p) => Math.abs(p.x - at.x) < SUBCOLUMN * 0.8 && Math.abs(p.y - at.y) < ROW * 0.9,
    );

  for (const [depth, nodes] of [...byDepth].sort(([a], [b]) => a - b)) {
    const fresh = nodes.filter((node) => !places.has(node.id));
    const wanted = new Map(
      fresh.map((node) => [
        node.id,
        mean((near.get(node.id) ?? []).flatMap((id) => places.get(id)?.y ?? [])) ?? 0,
      ]),
    );
    const free = slots(starts.get(depth) ?? 0, rowsFor(nodes.length));
    // What supports an answer sits in the middle, what was dropped around it.
    for (const group of [
      fresh.filter((node) => node.role !== "faint"),
      fresh.filter((node) => node.role === "faint"),
    ]) {
      // Ties by name, so that places do not depend on what came first.
      const order = group.sort(
        (a, b) =>
          (wanted.get(a.id) ?? 0) - (wanted.get(b.id) ?? 0) || a.label.localeCompare(b.label) || a.id - b.id,
      );
      const found: Point[] = [];
      while (found.length < order.length) {
        const slot = free.next().value;
        if (!taken(slot)) found.push(slot);
      }
      // Slots from top to bottom meet nodes from top to bottom: few crossings, no search.
      found.sort((a, b) => a.y - b.y || a.x - b.x);
      order.forEach((node, index) => {
        const at = found[index];
        if (at) places.set(node.id, at);
      });
    }
  }
  return places;
}
