// What the rest of the application may ask of the drawing.
import type { GraphModel } from "@/view/graphModel";

export type LayoutName = "flow" | "force" | "radial" | "timeline" | "map";

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Part of the container, in its pixels. */
export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export type Picked = { kind: "node"; id: number } | { kind: "edge"; id: string };

export interface GraphEvents {
  /** `at` is in pixels of the container. */
  onHover: (target: Picked | null, at: Point) => void;
  onSelect: (nodes: readonly number[]) => void;
  onMenu: (target: Picked, at: Point) => void;
  /** A click on something, or (null) beside everything. */
  onPick: (target: Picked | null) => void;
  onExpand: (node: number) => void;
}

export interface GraphHandle {
  update: (model: GraphModel) => void;
  layout: (name: LayoutName) => void;
  fit: (ids?: readonly number[]) => void;
  zoom: (factor: number) => void;
  /** The nodes within a line drawn by hand, its points in pixels of the container. */
  within: (line: readonly Point[]) => number[];
  select: (ids: readonly number[]) => void;
  /** Keep the lit path, or what is selected, the topics and, if it takes little, all in sight, beside a card that lies over it. */
  coveredBy: (card: Box | null) => void;
  /** Select the nearest node in a direction, for the arrow keys. */
  step: (direction: "left" | "right" | "up" | "down") => void;
  /** Where a node is, in pixels of the container. */
  position: (id: number) => Point | null;
  restyle: () => void;
  png: () => Promise<Blob>;
  svg: () => Promise<Blob>;
  destroy: () => void;
}

export type CreateGraph = (container: HTMLElement, events: GraphEvents) => GraphHandle;
