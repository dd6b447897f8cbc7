// Where a drawing is moved to, so that a card that lies over it hides nothing of what it is about.
import type { Box, Point, Size } from "./handle";

/** Room for a node and its name around the places of nodes, in px. */
const AROUND = { x: 56, y: 46 };
/** Half of a node, in px: one whose middle is that far below a card is covered by it. */
const NODE = 14;
/** No drawing is made smaller than this for nodes that the card is not about. */
const LEAST = 0.7;

export interface View {
  zoom: number;
  pan: Point;
}

const overlap = (one: Box, other: Box) =>
  one.x1 < other.x2 && one.x2 > other.x1 && one.y1 < other.y2 && one.y2 > other.y1;

/** The largest part of the canvas beside a card, above or below it. */
export function freeBeside(card: Box, { width, height }: Size): Box {
  const parts: Box[] = [
    { x1: card.x2, y1: 0, x2: width, y2: height },
    { x1: 0, y1: 0, x2: card.x1, y2: height },
    { x1: 0, y1: 0, x2: width, y2: card.y1 },
    { x1: 0, y1: card.y2, x2: width, y2: height },
  ];
  const area = ({ x1, y1, x2, y2 }: Box) => Math.max(0, x2 - x1) * Math.max(0, y2 - y1);
  return parts.reduce((best, part) => (area(part) > area(best) ? part : best));
}

/**
 * The view that shows `places` (in px of the canvas) beside a card; null where it hides nothing of what they span. It is moved by no
 * more than that takes, and made smaller only where there is no room.
 */
export function viewBeside(places: readonly Point[], card: Box, size: Size, view: View): View | null {
  if (!places.length) return null;
  const [across, down] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  // What lies between the places, as the lines of a path do, is not to be hidden either.
  const taken = {
    ...{ x1: Math.min(...across) - AROUND.x, x2: Math.max(...across) + AROUND.x },
    ...{ y1: Math.min(...down) - AROUND.y, y2: Math.max(...down) + AROUND.y },
  };
  if (!overlap(taken, card)) return null;
  const free = freeBeside(card, size);
  const span = (at: number[], from: number, to: number, around: number) => {
    const [least, most] = [Math.min(...at), Math.max(...at)];
    // A part too small for its margins has its middle alone.
    const margin = Math.min(around, (to - from) / 2 - 1);
    return { least, most, from: from + margin, to: to - margin };
  };
  const spans = [span(across, free.x1, free.x2, AROUND.x), span(down, free.y1, free.y2, AROUND.y)] as const;
  const fits = spans.map(({ least, most, from, to }) => (to - from) / Math.max(most - least, 1));
  const scale = Math.min(1, ...fits);
  const moved = ({ least, most, from, to }: (typeof spans)[0]) => {
    const [start, end] = [least * scale, most * scale];
    if (start < from) return from - start;
    return end > to ? to - end : 0;
  };
  return {
    zoom: view.zoom * scale,
    pan: { x: view.pan.x * scale + moved(spans[0]), y: view.pan.y * scale + moved(spans[1]) },
  };
}

/**
 * The view that shows `about` beside a card, and `others` too where one of them in sight lies below it and showing all takes no much
 * smaller drawing; null where nothing is hidden.
 */
export function viewClear(
  about: readonly Point[],
  others: readonly Point[],
  card: Box,
  size: Size,
  view: View,
): View | null {
  const inSight = others.filter(({ x, y }) => x >= 0 && x <= size.width && y >= 0 && y <= size.height);
  const at = ({ x, y }: Point): Box => ({ x1: x - NODE, y1: y - NODE, x2: x + NODE, y2: y + NODE });
  if (inSight.some((place) => overlap(at(place), card))) {
    const all = viewBeside([...about, ...inSight], card, size, view);
    if (all && all.zoom >= view.zoom * LEAST) return all;
  }
  return viewBeside(about, card, size, view);
}
