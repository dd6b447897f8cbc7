// Where things lie on the earth, north above: entities that have coordinates, in Mercator's projection. Pure.
import type { GraphModel } from "@/view/graphModel";
import { orderedColumns } from "./flow";
import type { Point } from "./handle";
import { Crowd, neighboursOf } from "./placement";

/** Width and height of the drawing, in its units: room for so many entities, so that few are not far-away dots. */
const LEAST = 400;
const MOST = 1100;
const wideFor = (placed: number): number => Math.max(LEAST, Math.min(MOST, 160 * Math.sqrt(placed)));
/** Units of the drawing between two entities that lie at one place. */
const APART = 34;
const BESIDE = 70;
const COLUMN = 130;
const ROW = 64;
/** Beyond this Mercator's projection goes to infinity. */
const POLE = 85;

function projected({ latitude, longitude }: { latitude: number; longitude: number }): Point {
  const turn = (Math.max(-POLE, Math.min(POLE, latitude)) * Math.PI) / 180;
  return { x: (longitude * Math.PI) / 180, y: -Math.log(Math.tan(Math.PI / 4 + turn / 2)) };
}

/** Whether a map says more than another layout. */
export const isPlaced = (model: GraphModel): boolean => model.nodes.filter(({ place }) => place).length > 1;

/** Entities where they lie, others beside those that they have facts with, and what has none of these in rows below. */
export function mapLayout(model: GraphModel): Map<number, Point> {
  const ordered = orderedColumns(model).flat();
  const points = new Map(
    ordered.flatMap(({ id, place }) => (place ? [[id, projected(place)] as const] : [])),
  );
  const [xs, ys] = [[...points.values()].map(({ x }) => x), [...points.values()].map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const span = Math.max(Math.max(...xs) - left, Math.max(...ys) - top, 1e-9);
  const wide = wideFor(points.size);
  const places = new Map<number, Point>();
  const crowd = new Crowd(APART, APART);
  const put = (id: number, wanted: Point) => {
    const at = crowd.nearest({ x: Math.round(wanted.x), y: Math.round(wanted.y) });
    crowd.add(at);
    places.set(id, at);
  };
  for (const [id, { x, y }] of points)
    put(id, { x: ((x - left) / span) * wide, y: ((y - top) / span) * wide });
  const near = neighboursOf(model);
  const alone: number[] = [];
  for (const { id } of ordered) {
    if (points.has(id)) continue;
    const beside = (near.get(id) ?? []).flatMap((other) =>
      points.has(other) ? (places.get(other) ?? []) : [],
    );
    if (!beside.length) alone.push(id);
    else {
      const sum = beside.reduce((a, b) => ({ x: a.x + b.x, y: a.y + b.y }));
      put(id, { x: sum.x / beside.length + BESIDE, y: sum.y / beside.length });
    }
  }
  const low = Math.max(0, ...[...places.values()].map(({ y }) => y));
  const columns = Math.floor(wide / COLUMN);
  alone.forEach((id, index) => {
    places.set(id, { x: (index % columns) * COLUMN, y: low + 2 * ROW + Math.floor(index / columns) * ROW });
  });
  return places;
}
