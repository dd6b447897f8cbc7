// Which labels are drawn, so that none lies over another. Pure; the boxes are the drawing's.

export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface Label {
  id: string;
  box: Box;
  /** Fans of edges that one label names: once one of a fan is drawn, the others are not. */
  fans?: readonly string[];
}

const overlap = (one: Box, other: Box): boolean =>
  one.x1 < other.x2 && other.x1 < one.x2 && one.y1 < other.y2 && other.y1 < one.y2;

/**
 * Ids of the labels to draw.
 *
 * @param labels those that matter most first
 * @param taken boxes that no label may cover
 */
export function labelsWithoutOverlap(labels: readonly Label[], taken: readonly Box[] = []): Set<string> {
  const boxes = [...taken];
  const named = new Set<string>();
  const kept = new Set<string>();
  for (const { id, box, fans = [] } of labels) {
    if (fans.some((fan) => named.has(fan)) || boxes.some((other) => overlap(box, other))) continue;
    boxes.push(box);
    kept.add(id);
    for (const fan of fans) named.add(fan);
  }
  return kept;
}

/** Both fans that an edge is in: those of its relation that leave its source, and those that come to its target. */
export function fansOf({ source, target, relation }: { source: number; target: number; relation: string }) {
  return [`${source} ${relation} →`, `→ ${relation} ${target}`];
}
