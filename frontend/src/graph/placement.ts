// Who is beside whom, and where there is room for one more.
import type { GraphModel } from "@/view/graphModel";
import type { Point } from "./handle";

export function neighboursOf(model: GraphModel): Map<number, number[]> {
  const near = new Map<number, number[]>();
  const add = (one: number, other: number) => {
    const list = near.get(one);
    if (list) list.push(other);
    else near.set(one, [other]);
  };
  for (const { source, target } of model.edges) {
    add(source, target);
    add(target, source);
  }
  return near;
}

/** Places that are taken, each with an area of `width` by `height` around it. */
export class Crowd {
  private readonly cells = new Map<string, Point[]>();
  private readonly width: number;
  private readonly height: number;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  private cell(at: Point): [number, number] {
    return [Math.floor(at.x / this.width), Math.floor(at.y / this.height)];
  }

  add(at: Point): void {
    const key = this.cell(at).join(" ");
    const inside = this.cells.get(key);
    if (inside) inside.push(at);
    else this.cells.set(key, [at]);
  }

  isFree(at: Point): boolean {
    const [column, row] = this.cell(at);
    for (let x = column - 1; x <= column + 1; x += 1) {
      for (let y = row - 1; y <= row + 1; y += 1) {
        for (const other of this.cells.get(`${x} ${y}`) ?? []) {
          if (Math.abs(other.x - at.x) < this.width && Math.abs(other.y - at.y) < this.height) return false;
        }
      }
    }
    return true;
  }

  /** The free place nearest to one, in rings around it; of those as near, the first from the right, clockwise. */
  nearest(at: Point): Point {
    if (this.isFree(at)) return at;
    for (let ring = 1; ; ring += 1) {
      const around: Point[] = [];
      for (let x = -ring; x <= ring; x += 1) {
        for (let y = -ring; y <= ring; y += 1) {
          if (Math.max(Math.abs(x), Math.abs(y)) === ring) {
            around.push({ x: at.x + x * this.width, y: at.y + y * this.height });
          }
        }
      }
      const far = (point: Point) => Math.hypot(point.x - at.x, point.y - at.y);
      const free = around
        .sort((a, b) => far(a) - far(b) || b.x - a.x || a.y - b.y)
        .find((point) => this.isFree(point));
      if (free) return free;
    }
  }
}
