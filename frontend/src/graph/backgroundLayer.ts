// What a drawing of thousands has beside what matters: dots and lines, drawn as one picture below the elements.
// What the pointer comes near, or what is looked at closely, becomes an element. Knows nothing of Cytoscape.
import type { GraphEdge, GraphModel, GraphNode } from "@/view/graphModel";
import type { Point } from "./handle";

/** With more edges than this, what was explored alone is a picture. */
export const MASS = 2500;
/** At most so many dots in sight become elements by themselves. */
export const CLOSE = 300;
/** Edges between these that become elements. */
const CLOSE_EDGES = 600;
/** Radius of a dot in units of the drawing, and around it in pixels what counts as pointing at it. */
const DOT = 7;
const REACH = 7;
const CELL = 64;
/** The part of the canvas' size that is drawn beyond each of its sides, so that a drag shows no edge. */
const BEYOND = 0.25;
/** A picture that takes longer is moved first, and drawn again when the hand rests. */
const QUICK_MS = 20;
const REST_MS = 120;
/** Lines stroked together. */
const STROKE = 500;

export interface Parts {
  /** What is drawn as elements. */
  close: GraphModel;
  dots: readonly GraphNode[];
  lines: readonly GraphEdge[];
}

const isPlain = (edge: GraphEdge): boolean =>
  edge.faint && edge.verified && !edge.lit && !edge.window && edge.kind === "fact" && edge.stroke === null;

/** Divide a drawing: what matters and what is in `near` as elements, the rest as dots and lines. */
export function parted(model: GraphModel, near: ReadonlySet<number>): Parts {
  if (model.edges.length <= MASS) return { close: model, dots: [], lines: [] };
  const plain = model.edges.filter(isPlain);
  const ends = new Set(
    model.edges.filter((edge) => !isPlain(edge)).flatMap(({ source, target }) => [source, target]),
  );
  const isDot = (node: GraphNode): boolean =>
    node.role === "faint" &&
    !node.here &&
    !node.pinned &&
    !node.mark &&
    !ends.has(node.id) &&
    !near.has(node.id);
  const between = plain.filter(({ source, target }) => near.has(source) && near.has(target));
  const drawn = new Set(between.length > CLOSE_EDGES ? [] : between);
  return {
    close: {
      ...model,
      nodes: model.nodes.filter((node) => !isDot(node)),
      edges: model.edges.filter((edge) => !isPlain(edge) || drawn.has(edge)),
    },
    dots: model.nodes.filter(isDot),
    lines: plain.filter((edge) => !drawn.has(edge)),
  };
}

/** Points, found by where they are. */
export class Spots {
  private readonly cells = new Map<string, [number, Point][]>();

  constructor(points: Iterable<[number, Point]>) {
    for (const [id, at] of points) {
      const key = `${Math.floor(at.x / CELL)} ${Math.floor(at.y / CELL)}`;
      const inside = this.cells.get(key);
      if (inside) inside.push([id, at]);
      else this.cells.set(key, [[id, at]]);
    }
  }

  /** The nearest within a distance. */
  nearest({ x, y }: Point, within: number): number | null {
    let [best, least] = [null as number | null, within];
    for (
      let column = Math.floor((x - within) / CELL);
      column <= Math.floor((x + within) / CELL);
      column += 1
    ) {
      for (let row = Math.floor((y - within) / CELL); row <= Math.floor((y + within) / CELL); row += 1) {
        for (const [id, at] of this.cells.get(`${column} ${row}`) ?? []) {
          const far = Math.hypot(at.x - x, at.y - y);
          if (far <= least) [best, least] = [id, far];
        }
      }
    }
    return best;
  }
}

type Places = Map<number, Point | undefined>;

export interface View {
  zoom: number;
  pan: Point;
}

export interface Ink {
  line: string;
  surface: string;
}

/** The canvas below the elements. */
export class Backdrop {
  private readonly container: HTMLElement;
  private readonly canvas = document.createElement("canvas");
  private readonly placeOf: (id: number) => Point | undefined;
  private readonly viewOf: () => View;
  private dots: readonly GraphNode[] = [];
  private lines: readonly GraphEdge[] = [];
  private spots: Spots | null = null;
  private drawn: View | null = null;
  private took = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private frame = 0;
  ink: Ink = { line: "", surface: "" };

  constructor(container: HTMLElement, viewOf: () => View, placeOf: (id: number) => Point | undefined) {
    [this.container, this.viewOf, this.placeOf] = [container, viewOf, placeOf];
    this.canvas.className = "graph-backdrop";
  }

  get isEmpty(): boolean {
    return this.dots.length + this.lines.length === 0;
  }

  show({ dots, lines }: Pick<Parts, "dots" | "lines">): void {
    [this.dots, this.lines, this.spots] = [dots, lines, null];
    this.canvas.dataset.dots = String(dots.length);
    this.draw();
  }

  /** The dot at a place of the container, in pixels. */
  at(place: Point): number | null {
    if (!this.dots.length) return null;
    const { zoom, pan } = this.viewOf();
    this.spots ??= new Spots(this.placed());
    const here = { x: (place.x - pan.x) / zoom, y: (place.y - pan.y) / zoom };
    return this.spots.nearest(here, Math.max(DOT + 2, REACH / zoom));
  }

  private placed(): [number, Point][] {
    return this.dots.flatMap(({ id }) => {
      const at = this.placeOf(id);
      return at ? [[id, at] as [number, Point]] : [];
    });
  }

  /** Something was moved. */
  moved(): void {
    this.spots = null;
    this.drawSoon();
  }

  private drawSoon(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  /** The view has changed: move the picture along, and draw it anew at once where that is quick. */
  follow(): void {
    if (this.isEmpty || !this.drawn) return;
    const [{ zoom, pan }, was] = [this.viewOf(), this.drawn];
    const [scale, wide, high] = [zoom / was.zoom, this.container.clientWidth, this.container.clientHeight];
    const [x, y] = [wide * BEYOND, high * BEYOND];
    // The corner of the picture is a quarter of the canvas beyond the canvas' own.
    const dx = pan.x - (was.pan.x + x) * scale + x;
    const dy = pan.y - (was.pan.y + y) * scale + y;
    this.canvas.style.transform = `translate(${dx}px, ${dy}px) scale(${scale})`;
    clearTimeout(this.timer);
    if (this.took < QUICK_MS) this.drawSoon();
    else this.timer = setTimeout(() => this.draw(), REST_MS);
  }

  draw(): void {
    clearTimeout(this.timer);
    const { canvas, container } = this;
    const pen = this.isEmpty ? null : canvas.getContext("2d");
    if (!pen) {
      canvas.remove();
      return;
    }
    if (!canvas.isConnected) container.prepend(canvas);
    const began = performance.now();
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [container.clientWidth, container.clientHeight];
    const view = this.viewOf();
    canvas.width = Math.round(wide * (1 + 2 * BEYOND) * ratio);
    canvas.height = Math.round(high * (1 + 2 * BEYOND) * ratio);
    canvas.style.left = `${-wide * BEYOND}px`;
    canvas.style.top = `${-high * BEYOND}px`;
    canvas.style.width = `${wide * (1 + 2 * BEYOND)}px`;
    canvas.style.height = `${high * (1 + 2 * BEYOND)}px`;
    canvas.style.transform = "";
    pen.setTransform(
      ratio,
      0,
      0,
      ratio,
      (view.pan.x + wide * BEYOND) * ratio,
      (view.pan.y + high * BEYOND) * ratio,
    );
    const ids = [
      ...this.dots.map(({ id }) => id),
      ...this.lines.flatMap(({ source, target }) => [source, target]),
    ];
    const places: Places = new Map();
    for (const id of ids) if (!places.has(id)) places.set(id, this.placeOf(id));
    for (const dim of [true, false]) {
      this.strokeLines(pen, places, view.zoom, dim);
      this.fillDots(pen, places, view.zoom, dim);
    }
    this.drawn = view;
    this.took = performance.now() - began;
  }

  private strokeLines(pen: CanvasRenderingContext2D, places: Places, zoom: number, dim: boolean): void {
    const lines = this.lines.filter((line) => line.dim === dim);
    // Ten thousand lines over each other are a blot: each is as faint as leaves the nodes to be seen.
    const faint = Math.max(
      0.06,
      0.6 * Math.sqrt((MASS / Math.max(this.lines.length, MASS)) * Math.min(zoom, 1)) ** 1.5,
    );
    pen.globalAlpha = dim ? faint / 4 : faint;
    pen.strokeStyle = this.ink.line;
    pen.lineWidth = 1;
    lines.forEach((line, index) => {
      if (index % STROKE === 0) pen.beginPath();
      const from = places.get(line.source);
      const to = places.get(line.target);
      if (from && to) {
        pen.moveTo(from.x * zoom, from.y * zoom);
        pen.lineTo(to.x * zoom, to.y * zoom);
      }
      if (index % STROKE === STROKE - 1 || index === lines.length - 1) pen.stroke();
    });
  }

  private fillDots(pen: CanvasRenderingContext2D, places: Places, zoom: number, dim: boolean): void {
    const size = Math.max(DOT * zoom, 1.2);
    pen.globalAlpha = dim ? 0.28 : 1;
    pen.lineWidth = Math.max(1.5 * zoom, 1);
    pen.fillStyle = size < 3 ? this.ink.line : this.ink.surface;
    pen.strokeStyle = this.ink.line;
    for (const dot of this.dots) {
      const at = dot.dim === dim ? places.get(dot.id) : undefined;
      if (!at) continue;
      if (size < 3) {
        pen.fillRect(at.x * zoom - size, at.y * zoom - size, 2 * size, 2 * size);
        continue;
      }
      pen.beginPath();
      pen.arc(at.x * zoom, at.y * zoom, size, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
  }

  destroy(): void {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
  }
}
