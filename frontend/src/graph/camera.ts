// Where a drawing is looked at from: what is fitted into the canvas, and what a card that lies over it moves.
import type { Core } from "cytoscape";
import { viewClear, type View } from "./overlayOffset";
import { FIT_ZOOM, MARGIN } from "./flow";
import type { Box, Point } from "./handle";
import { calm, MOVE_MS } from "./animation";

function boundsOf(places: readonly Point[]) {
  const box = { x1: Infinity, y1: Infinity, x2: -Infinity, y2: -Infinity };
  for (const { x, y } of places) {
    box.x1 = Math.min(box.x1, x);
    box.y1 = Math.min(box.y1, y);
    box.x2 = Math.max(box.x2, x);
    box.y2 = Math.max(box.y2, y);
  }
  return box;
}

export class Camera {
  /** True once a person has panned, zoomed or dragged: from then on nothing moves the view by itself. */
  steered = false;
  /** The view before a card lay over it, and the one that it was moved to. */
  private uncovered: { view: View; then: View } | null = null;
  private readonly cy: Core;
  private readonly moved: () => void;

  /** `moved` hears of the end of each movement that is shown. */
  constructor(cy: Core, moved: () => void) {
    this.cy = cy;
    this.moved = moved;
  }

  /** Show all of `places`, no larger than is pleasant. */
  fit(places: readonly Point[]): void {
    const { cy } = this;
    if (!places.length) return;
    const { x1, y1, x2, y2 } = boundsOf(places);
    const [width, height] = [cy.width(), cy.height()];
    const room = (length: number, margin: number) => Math.max(length - 2 * margin, length / 2);
    const zoom = Math.min(
      FIT_ZOOM,
      room(width, MARGIN.x) / Math.max(x2 - x1, 1),
      room(height, MARGIN.y) / Math.max(y2 - y1, 1),
    );
    const level = Math.max(zoom, cy.minZoom());
    cy.viewport({
      zoom: level,
      pan: { x: (width - (x1 + x2) * level) / 2, y: (height - (y1 + y2) * level) / 2 },
    });
  }

  zoom(factor: number): void {
    this.steered = true;
    const { width, height } = this.cy.container()?.getBoundingClientRect() ?? { width: 0, height: 0 };
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: { x: width / 2, y: height / 2 } });
  }

  /** Have `card` cover none of `about`, and if that takes little none of `others` (places in px of the canvas). */
  clear(about: readonly Point[], others: readonly Point[], card: Box, isAtOnce: boolean): void {
    const { cy } = this;
    const size = { width: cy.width(), height: cy.height() };
    const view = { zoom: cy.zoom(), pan: { ...cy.pan() } };
    const then = viewClear(about, others, card, size, view);
    if (!then) return;
    then.zoom = Math.max(then.zoom, cy.minZoom());
    this.uncovered = { view: this.uncovered?.view ?? view, then };
    this.glide(then, isAtOnce);
  }

  /** The card is gone: back to the view from before, unless somebody has moved it since. */
  goBack(isAtOnce: boolean): void {
    const before = this.uncovered;
    this.uncovered = null;
    if (!before) return;
    const near = (one: number, other: number) => Math.abs(one - other) < 0.5;
    const [pan, { zoom, pan: to }] = [this.cy.pan(), before.then];
    if (near(this.cy.zoom() * 100, zoom * 100) && near(pan.x, to.x) && near(pan.y, to.y))
      this.glide(before.view, isAtOnce);
  }

  private glide(view: View, isAtOnce: boolean): void {
    this.cy.stop();
    if (calm() || isAtOnce) this.cy.viewport(view);
    else this.cy.animate(view, { duration: MOVE_MS, complete: this.moved });
  }
}
