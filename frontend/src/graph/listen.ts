// What people do with the drawing, told to whoever shows it and to the drawing itself.
import type { Core, EventObject, NodeSingular } from "cytoscape";
import type { Backdrop } from "./backgroundLayer";
import type { GraphEvents, Point } from "./handle";
import { isCrowded } from "./labelRenderer";

interface Drawing {
  backdrop: Backdrop;
  /** Whether there are so many elements that each new look of one takes long. */
  isMass: () => boolean;
  /** Somebody panned or zoomed. */
  steered: () => void;
  /** Somebody dragged a node. */
  dragged: () => void;
  /** Other names may have room by now. */
  relabelSoon: () => void;
  /** Make an element of what the pointer has come to. */
  approach: (node: number) => void;
}

export function listen(cy: Core, container: HTMLElement, events: GraphEvents, drawing: Drawing): void {
  const where = (event: EventObject): Point => event.renderedPosition;
  const target = (event: EventObject) => {
    const element = event.target as NodeSingular;
    return element.group() === "nodes"
      ? ({ kind: "node", id: Number(element.id()) } as const)
      : ({ kind: "edge", id: element.id() } as const);
  };
  cy.on("mouseover", "node, edge", (event) => {
    // Of thousands a new picture takes longer than the pointer rests anywhere: the card beside it tells the name.
    if (!drawing.isMass()) (event.target as NodeSingular).addClass("hover");
    events.onHover(target(event), where(event));
  });
  cy.on("mouseout", "node, edge", (event) => {
    const element = event.target as NodeSingular;
    if (element.hasClass("hover")) element.removeClass("hover");
    events.onHover(null, where(event));
  });
  cy.on("cxttap", "node, edge", (event) => events.onMenu(target(event), where(event)));
  cy.on("taphold", "node", (event) => events.onMenu(target(event), where(event)));
  cy.on("dbltap", "node", (event) => events.onExpand(Number((event.target as NodeSingular).id())));
  cy.on("select unselect", "node", () => {
    events.onSelect(cy.nodes(":selected").map((node) => Number(node.id())));
    drawing.relabelSoon();
  });
  cy.on("dragpan scrollzoom pinchzoom dragfree", drawing.steered);
  cy.on("dragfree", drawing.dragged);
  // Of what is clicked more can be told; a click beside everything ends that.
  cy.on("tap", (event) => events.onPick(event.target === cy ? null : target(event)));
  cy.on("zoom drag", drawing.relabelSoon);
  cy.on("pan", () => {
    if (isCrowded(cy) || !drawing.backdrop.isEmpty) drawing.relabelSoon();
  });
  cy.on("viewport", () => drawing.backdrop.follow());
  cy.on("drag", () => drawing.backdrop.moved());
  // What the pointer comes to is an element before it hears of the pointer.
  const come = (event: PointerEvent) => {
    if (event.type === "pointermove" && event.buttons) return;
    const { left, top } = container.getBoundingClientRect();
    const dot = drawing.backdrop.at({ x: event.clientX - left, y: event.clientY - top });
    if (dot !== null) drawing.approach(dot);
  };
  container.addEventListener("pointermove", come, { capture: true });
  container.addEventListener("pointerdown", come, { capture: true });
  cy.on("drag pan zoom", () => events.onHover(null, { x: 0, y: 0 }));
}
