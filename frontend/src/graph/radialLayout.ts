// Other layouts than that by hops: rings around the topics, and a line of time. Pure, and functions of the content alone.
import type { GraphModel, GraphNode } from "@/view/graphModel";
import { orderedColumns } from "./flow";
import type { Point } from "./handle";
import { Crowd, neighboursOf } from "./placement";

const RING = 170;
const ARC = 96;
const YEAR = /^(?:[^\d-]*\s)?(-?\d{3,4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const WIDE = 1100;
const COLUMN = 130;
const ROW = 64;

/** Rings by hops, the topics in the middle; on a ring in the order of what lies within it. */
export function radialLayout(model: GraphModel): Map<number, Point> {
  const places = new Map<number, Point>();
  let radius = 0;
  orderedColumns(model).forEach((ring, index) => {
    const alone = index === 0 && ring.length === 1;
    radius = alone ? 0 : Math.max(radius + RING, (ring.length * ARC) / (2 * Math.PI));
    ring.forEach((node, place) => {
      // From the top, clockwise; every second ring starts half a step later.
      const turn = ((place + (index % 2) / 2) / ring.length) * 2 * Math.PI - Math.PI / 2;
      places.set(node.id, {
        x: Math.round(radius * Math.cos(turn)) + 0,
        y: Math.round(radius * Math.sin(turn)) + 0,
      });
    });
  });
  return places;
}

/** The time that a name tells, in years; null where it tells none. */
function timeOf({ label, kind }: GraphNode): number | null {
  const [, year, month = "1", day = "1"] = (kind === "cvt" ? null : YEAR.exec(label.trim())) ?? [];
  return year === undefined ? null : Number(year) + (Number(month) - 1) / 12 + (Number(day) - 1) / 372;
}

/** The time of each node that has one: its own, or the first of those that its facts lead to. */
export function timesOf(model: GraphModel): Map<number, number> {
  const own = new Map(
    model.nodes.flatMap((node) => {
      const time = timeOf(node);
      return time === null ? [] : [[node.id, time] as const];
    }),
  );
  const near = neighboursOf(model);
  const times = new Map(own);
  for (const { id } of model.nodes) {
    const beside = (near.get(id) ?? []).flatMap((other) => own.get(other) ?? []);
    if (!own.has(id) && beside.length) times.set(id, Math.min(...beside));
  }
  return times;
}

/** From left to right by time, what shares one below another; what has none in rows below all of them. */
export function timelineLayout(model: GraphModel): Map<number, Point> {
  const times = timesOf(model);
  const [first, last] = [Math.min(...times.values()), Math.max(...times.values())];
  const places = new Map<number, Point>();
  const crowd = new Crowd(COLUMN * 0.95, ROW * 0.9);
  const ordered = orderedColumns(model).flat();
  const dated = ordered
    .filter((node) => times.has(node.id))
    .sort((a, b) => (times.get(a.id) ?? 0) - (times.get(b.id) ?? 0));
  let low = 0;
  for (const node of dated) {
    const x = last > first ? Math.round((((times.get(node.id) ?? 0) - first) / (last - first)) * WIDE) : 0;
    let y = 0;
    while (!crowd.isFree({ x, y })) y += ROW;
    crowd.add({ x, y });
    places.set(node.id, { x, y });
    low = Math.max(low, y);
  }
  const columns = Math.floor(WIDE / COLUMN);
  ordered
    .filter((node) => !times.has(node.id))
    .forEach((node, index) => {
      places.set(node.id, {
        x: (index % columns) * COLUMN,
        y: low + 2 * ROW + Math.floor(index / columns) * ROW,
      });
    });
  return places;
}
