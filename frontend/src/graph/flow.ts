// The layered layout: columns by distance from the topic entities, read from left to right, as wide and
// as high as the canvas has room for. What has a place keeps it; what is new comes beside its neighbour.
import type { GraphModel, GraphNode } from "@/view/graphModel";
import type { Point, Size } from "./handle";
import { isMain } from "./elements";
import { Crowd, neighboursOf } from "./placement";

/** Units of the drawing between columns, and at least between the rows of a column and its sub-columns. */
const COLUMN = 210;
const ROW = 64;
const SUBCOLUMN = 120;
/** How far rows and columns may be drawn apart to fill the canvas. */
const STRETCH = 1.7;
/** No drawing is magnified more than this to fit. */
export const FIT_ZOOM = 1.15;
/** Large enough to leave every column in one piece. */
const FINE = 0.92;
/** What a drawing leaves free at the sides of the canvas, for labels. */
export const MARGIN = { x: 84, y: 40 };
export const CANVAS: Size = { width: 860, height: 650 };
/** Times the order of the columns is improved from left to right and back. */
const SWEEPS = 4;

const mean = (values: readonly number[]): number | null =>
  values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;

const byName = (a: GraphNode, b: GraphNode): number =>
  a.label < b.label ? -1 : a.label > b.label ? 1 : a.id - b.id;

function columnsOf(model: GraphModel): GraphNode[][] {
  const byDepth = new Map<number, GraphNode[]>();
  for (const node of model.nodes) {
    const column = byDepth.get(node.depth);
    if (column) column.push(node);
    else byDepth.set(node.depth, [node]);
  }
  // By name first, so that places do not depend on what came first.
  return [...byDepth].sort(([a], [b]) => a - b).map(([, nodes]) => nodes.sort(byName));
}

/** Put each column into the order of its neighbours in the others: few crossings, no search. */
function untangle(columns: GraphNode[][], near: ReadonlyMap<number, readonly number[]>): void {
  const place = new Map<number, number>();
  const number = (column: readonly GraphNode[]) => {
    column.forEach((node, row) => place.set(node.id, row - (column.length - 1) / 2));
  };
  columns.forEach(number);
  const settle = (column: GraphNode[], side: ReadonlySet<number>) => {
    const wanted = new Map(
      column.map((node) => {
        const rows = (near.get(node.id) ?? []).filter((id) => side.has(id)).map((id) => place.get(id) ?? 0);
        return [node.id, mean(rows) ?? place.get(node.id) ?? 0];
      }),
    );
    // What supports an answer stands in the middle, what was dropped below it.
    const faint = (node: GraphNode) => Number(node.role === "faint");
    column.sort(
      (a, b) => faint(a) - faint(b) || (wanted.get(a.id) ?? 0) - (wanted.get(b.id) ?? 0) || byName(a, b),
    );
    number(column);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forth = sweep % 2 === 0;
    const order = forth ? columns : [...columns].reverse();
    order.forEach((column, index) => {
      const beside = order[index - 1];
      if (beside) settle(column, new Set(beside.map((node) => node.id)));
    });
  }
}

/** What is named, strewn evenly among the rest, so that a large block has room for the names. */
function strewn(column: readonly GraphNode[]): readonly GraphNode[] {
  const named = column.filter(isMain);
  const rest = column.filter((node) => !isMain(node));
  const first = named.filter((node) => node.role !== "path");
  if (!rest.length && !first.length) return column;
  return spread(
    first,
    spread(
      named.filter((node) => node.role === "path"),
      rest,
    ),
  );
}

/** `some` among `others`, each after as many of these. */
function spread(some: readonly GraphNode[], others: readonly GraphNode[]): GraphNode[] {
  const all = some.length + others.length;
  const place = (index: number) => Math.floor(((index + 0.5) * all) / some.length);
  const mixed: GraphNode[] = [];
  let [next, other] = [0, 0];
  for (let at = 0; at < all; at += 1) {
    const one = next < some.length && place(next) <= at ? some[next] : undefined;
    const taken = one ?? others[other];
    if (one) next += 1;
    else other += 1;
    if (taken) mixed.push(taken);
  }
  return mixed;
}

interface Shape {
  /** Rows that a column has before it goes on in a sub-column. */
  rows: number;
  zoom: number;
  width: number;
  height: number;
}

/** The number of rows with which all columns are seen largest. */
function shapeOf(sizes: readonly number[], room: Size): Shape {
  const most = Math.max(1, ...sizes);
  let best: Shape | null = null;
  for (let rows = most; rows >= 1; rows -= Math.max(1, Math.floor(rows / 24))) {
    const subs = sizes.map((size) => Math.ceil(size / rows));
    const width = (sizes.length - 1) * COLUMN + subs.reduce((sum, sub) => sum + (sub - 1) * SUBCOLUMN, 0);
    const high = Math.max(...sizes.map((size, i) => Math.ceil(size / (subs[i] ?? 1))));
    // Every second sub-column stands half a row lower.
    const height = (high - (subs.some((sub) => sub > 1) ? 0.5 : 1)) * ROW;
    const zoom = Math.min(FIT_ZOOM, room.width / Math.max(width, 1), room.height / Math.max(height, 1));
    if (!best || zoom > best.zoom) best = { rows, zoom, width, height };
    if (zoom >= FINE) break;
  }
  return best ?? { rows: 1, zoom: FIT_ZOOM, width: 0, height: 0 };
}

const stretch = (room: number, length: number): number =>
  length > 0 ? Math.min(STRETCH, Math.max(1, room / length)) : 1;

/** The nodes by hops from the topics, each column in the order of its neighbours. */
export function orderedColumns(model: GraphModel): GraphNode[][] {
  const columns = columnsOf(model);
  untangle(columns, neighboursOf(model));
  return columns;
}

function whole(model: GraphModel, size: Size): Map<number, Point> {
  const columns = orderedColumns(model);
  const room = { width: size.width - 2 * MARGIN.x, height: size.height - 2 * MARGIN.y };
  const shape = shapeOf(
    columns.map((column) => column.length),
    room,
  );
  const across = stretch(room.width, shape.width * shape.zoom);
  const down = stretch(room.height, shape.height * shape.zoom);
  const places = new Map<number, Point>();
  let x = 0;
  for (const column of columns) {
    const subs = Math.ceil(column.length / shape.rows);
    const high = Math.ceil(column.length / subs);
    const order = subs > 1 ? strewn(column) : column;
    order.forEach((node, index) => {
      // From top to bottom and left to right in rows, so that the order of the names is that of reading.
      const sub = index % subs;
      const row = Math.floor(index / subs) - (high - 1) / 2 + (subs > 1 ? (sub % 2) / 2 - 0.25 : 0);
      places.set(node.id, {
        x: Math.round((x + sub * SUBCOLUMN) * across),
        y: Math.round(row * ROW * down),
      });
    });
    x += COLUMN + (subs - 1) * SUBCOLUMN;
  }
  return places;
}

/** Places for all nodes in a canvas of `size` pixels. Those in `kept` stay where they are. */
export function flowLayout(
  model: GraphModel,
  kept: ReadonlyMap<number, Point> = new Map(),
  size: Size = CANVAS,
): Map<number, Point> {
  const stay = model.nodes.filter((node) => kept.has(node.id));
  if (!stay.length) return whole(model, size);
  const places = new Map<number, Point>();
  const crowd = new Crowd(SUBCOLUMN * 0.9, ROW * 0.8);
  for (const node of stay) {
    const at = kept.get(node.id) ?? { x: 0, y: 0 };
    places.set(node.id, at);
    crowd.add(at);
  }
  const depths = new Map(stay.map((node) => [node.id, node.depth]));
  const near = neighboursOf(model);
  for (const node of columnsOf(model).flat()) {
    if (places.has(node.id)) continue;
    const [beside] = (near.get(node.id) ?? [])
      .filter((id) => places.has(id))
      .sort((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0) || a - b);
    const from = (beside === undefined ? null : places.get(beside)) ?? { x: -COLUMN, y: 0 };
    const at = crowd.nearest({ x: from.x + COLUMN, y: from.y });
    places.set(node.id, at);
    crowd.add(at);
    depths.set(node.id, node.depth);
  }
  return places;
}
