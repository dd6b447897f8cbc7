import type { Point } from "./handle";

/** Whether a point lies within a closed line: a ray from it crosses the line an odd number of times. */
export function contains(line: readonly Point[], { x, y }: Point): boolean {
  let within = false;
  line.forEach((one, index) => {
    const other = line[(index + 1) % line.length] ?? one;
    if (one.y > y === other.y > y) return;
    if (x < one.x + ((y - one.y) / (other.y - one.y)) * (other.x - one.x)) within = !within;
  });
  return within;
}
