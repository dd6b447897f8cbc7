// The drawing itself. The only room that knows Cytoscape; everybody else holds a GraphHandle.
import cytoscape, { type Core, type NodeCollection } from "cytoscape";
import fcose from "cytoscape-fcose";
import type { GraphModel } from "@/view/graphModel";
import { elementsOf } from "./elements";
import { Backdrop, CLOSE, MASS, parted } from "./backgroundLayer";
import { Camera } from "./camera";
import { flowLayout } from "./flow";
import { calm, FADE_MS, MOVE_MS } from "./animation";
import type { Box, CreateGraph, GraphEvents, GraphHandle, LayoutName, Point } from "./handle";
import { listen } from "./listen";
import { writeNames } from "./labelRenderer";
import { mapLayout } from "./map";
import { contains } from "./polygon";
import { radialLayout, timelineLayout } from "./radialLayout";
import { readPalette, stylesheet } from "./style";

cytoscape.use(fcose);

/** A change of the canvas' height that comes of what stands around it, and not of the window: px. */
const LINES = 64;
/** With more edges than this each is drawn lighter. */
const CROWD = 90;
/** How long labels wait for a zoom or a drag to end before they are sorted out again. */
const LABELS_MS = 80;
const MASS_LABELS_MS = 300;

/** With more edges than this a picture of the drawing is moved while one pans, not the drawing. */
const HEAVY = 600;
/** Elements that were dots once and are kept out of sight. */
const KEPT = 800;
/** More nodes than this appear and go to their new places at once. */
const MOVING = 400;

/** What elements of this many edges are drawn like. */
const density = (edges: number): string =>
  [...(edges > CROWD ? ["crowd"] : []), ...(edges > MASS ? ["mass"] : [])].join(" ");

/** What of an element's data is other than it was; sizes that go with the zoom are the names' own. */
function changesOf(now: Record<string, unknown>, wanted: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => name !== "font" && name !== "body" && now[name] !== value,
    ),
  );
}

class Graph implements GraphHandle {
  private readonly cy: Core;
  private readonly container: HTMLElement;
  private model: GraphModel = { nodes: [], edges: [], total: 0, hidden: 0, explored: 0, settled: false };
  private name: LayoutName = "flow";
  private labels: ReturnType<typeof setTimeout> | undefined;
  /** True as long as every place is the layout's own, of a drawing that is whole. */
  private pristine = false;
  /** How the edges are drawn for how many there are. */
  private dense = "";
  /** Where what is no element lies or lay, so that it lies there again when it comes back. */
  private readonly left = new Map<number, Point>();
  /** What is drawn as elements, and which of its nodes are so for being looked at closely alone. */
  private drawn: GraphModel = this.model;
  private near = new Set<number>();
  private readonly camera: Camera;
  private readonly backdrop: Backdrop;
  private readonly resize: ResizeObserver;

  constructor(container: HTMLElement, events: GraphEvents) {
    this.container = container;
    this.cy = cytoscape({
      container,
      style: this.style(),
      minZoom: 0.02,
      maxZoom: 3,
      boxSelectionEnabled: true,
      selectionType: "single",
    });
    this.camera = new Camera(this.cy, () => this.relabel());
    this.backdrop = new Backdrop(
      container,
      () => ({ zoom: this.cy.zoom(), pan: this.cy.pan() }),
      (id) => this.placeOf(id),
    );
    this.backdrop.ink = readPalette(container);
    listen(this.cy, container, events, {
      backdrop: this.backdrop,
      isMass: () => this.isMass(),
      steered: () => {
        this.camera.steered = true;
      },
      dragged: () => {
        this.pristine = false;
      },
      relabelSoon: () => this.relabelSoon(),
      approach: (node) => this.approach([node]),
    });
    let [width, height] = [container.clientWidth, container.clientHeight];
    this.resize = new ResizeObserver(() => {
      this.cy.resize();
      this.backdrop.draw();
      const isLine = width === container.clientWidth && Math.abs(height - container.clientHeight) <= LINES;
      [width, height] = [container.clientWidth, container.clientHeight];
      if (this.camera.steered) return;
      // The legend took a line more for the kinds of what was expanded: who reads the drawing keeps it where it is.
      if (isLine && !this.pristine) {
        this.relabel();
        return;
      }
      // Nothing was moved or added by hand: the places are those of the content in this canvas.
      if (this.pristine && this.name !== "force") this.place(new Map());
      this.fit();
      this.relabel();
    });
    this.resize.observe(container);
  }

  private style() {
    return stylesheet(readPalette(this.container), calm() ? 0 : FADE_MS);
  }

  update(model: GraphModel): void {
    const { cy } = this;
    const was = this.model;
    this.model = model;
    const parts = parted(model, this.near);
    this.drawn = parts.close;
    const wanted = elementsOf(parts.close, cy.zoom());
    const ids = new Set(wanted.map((element) => element.data.id));
    const known = new Set(cy.elements().map((element) => element.id()));
    const added = wanted.filter((element) => !known.has(element.data.id));
    const removed = cy.elements().filter((element) => !ids.has(element.id()));
    const fresh = calm() || added.length > MOVING ? "" : "fresh";
    const dense = density(parts.close.edges.filter((edge) => edge.strand === 0).length);
    removed.nodes().forEach((node) => {
      this.left.set(Number(node.id()), { ...node.position() });
    });
    cy.batch(() => {
      removed.remove();
      // Each change is a new look-up of the element's style, which is what takes time where there are thousands.
      for (const { data } of wanted) {
        if (!known.has(data.id)) continue;
        const element = cy.getElementById(data.id);
        const changes = changesOf(element.data() as Record<string, unknown>, data);
        if (Object.keys(changes).length) element.data(changes);
      }
      if (dense !== this.dense) cy.edges().removeClass("crowd mass").addClass(dense);
      cy.add(
        added.map(({ data, ...element }) => ({
          ...element,
          data: { ...data, short: "" },
          classes: `${fresh} ${element.group === "edges" ? dense : ""}`,
        })),
      );
    });
    this.dense = dense;
    (cy as Core & { renderer: () => { textureOnViewport: boolean } }).renderer().textureOnViewport =
      parts.close.edges.length > HEAVY;
    // What came bit by bit lies as it came; once it is complete its places are those of its content alone. What
    // is added to it by hand stands beside the rest, which stays where it is seen.
    const stays = cy
      .nodes()
      .filter((node) => node.scratch("placed") === true)
      .nonempty();
    const anew = (model.settled && !was.settled) || model.scene !== was.scene || !stays;
    if (anew) {
      if (model.scene !== was.scene) this.camera.steered = false;
      this.layAnew();
    } else if (added.some((element) => element.group === "nodes") || parts.dots.length) {
      this.putBack();
      const kept = new Map<number, Point>();
      for (const { id } of model.nodes) {
        const at = this.placeOf(id);
        if (at) kept.set(id, { ...at });
      }
      if (kept.size < model.nodes.length) this.place(kept);
      if (!model.settled && !this.camera.steered) this.fit();
    }
    this.backdrop.show(parts);
    this.relabel();
    // A frame later the class goes, and the transition of opacity fades the new ones in.
    if (fresh && added.length) requestAnimationFrame(() => cy.elements(".fresh").removeClass("fresh"));
  }

  /** Elements that lay somewhere before lie there again. */
  private putBack(): void {
    this.cy.nodes().forEach((node) => {
      const back = this.left.get(Number(node.id()));
      if (back && !node.scratch("placed")) node.position(back).scratch("placed", true);
    });
  }

  /** Where a node lies, be it an element or a dot. */
  private placeOf(id: number): Point | undefined {
    const node = this.cy.getElementById(String(id));
    return node.nonempty() && node.scratch("placed") ? node.position() : this.left.get(id);
  }

  /** Make elements of dots. */
  private approach(ids: readonly number[]): void {
    const dots = ids.filter((id) => this.cy.getElementById(String(id)).empty());
    if (!dots.length || this.backdrop.isEmpty) return;
    for (const id of dots) this.near.add(id);
    const byId = new Set(dots);
    const nodes = this.model.nodes.filter((node) => byId.has(node.id));
    if (!nodes.length) return;
    this.drawn = { ...this.drawn, nodes: [...this.drawn.nodes, ...nodes] };
    this.cy.add(
      elementsOf({ ...this.model, nodes, edges: [] }, this.cy.zoom()).map(({ data, ...element }) => ({
        ...element,
        data: { ...data, short: "" },
      })),
    );
    this.putBack();
  }

  /** Of few dots in sight make elements, with the edges between them; what is far off becomes dots again. */
  private focus(): boolean {
    if (this.backdrop.isEmpty) return false;
    const { x1, y1, x2, y2 } = this.cy.extent();
    const inSight = this.model.nodes.filter(({ id }) => {
      const at = this.placeOf(id);
      return at && at.x >= x1 && at.x <= x2 && at.y >= y1 && at.y <= y2;
    });
    const ids = inSight.length <= CLOSE ? inSight.map(({ id }) => id) : [];
    if (this.near.size > KEPT) {
      const chosen = this.cy.nodes(":selected").map((node) => Number(node.id()));
      this.near = new Set([...chosen, ...ids]);
    } else if (ids.every((id) => this.near.has(id))) {
      return false;
    }
    for (const id of ids) this.near.add(id);
    this.update(this.model);
    return true;
  }

  private layAnew(): void {
    this.left.clear();
    this.place(new Map());
    if (!this.camera.steered) this.fit();
  }

  private isMass(): boolean {
    return this.drawn.edges.length > MASS;
  }

  private relabelSoon(): void {
    clearTimeout(this.labels);
    this.labels = setTimeout(
      () => {
        if (!this.focus()) this.relabel();
      },
      this.isMass() ? MASS_LABELS_MS : LABELS_MS,
    );
  }

  /** Leave out the labels that would lie over others. */
  private relabel(): void {
    const { cy } = this;
    clearTimeout(this.labels);
    writeNames(cy, this.drawn, !this.camera.steered);
  }

  /** Give the nodes a place; those in `kept` stay. */
  private place(kept: ReadonlyMap<number, Point>): void {
    const places = this.placesOf(kept);
    this.cy.batch(() => {
      for (const [id, at] of places) {
        const node = this.cy.getElementById(String(id));
        if (node.empty()) {
          this.left.set(id, at);
          continue;
        }
        if (!kept.has(id)) node.position(at);
        node.scratch("placed", true);
      }
    });
    if (this.name === "force" && this.backdrop.isEmpty) this.force(kept);
    this.pristine = kept.size === 0 && this.model.settled;
  }

  private placesOf(kept: ReadonlyMap<number, Point>): Map<number, Point> {
    if (!kept.size && this.name === "radial") return radialLayout(this.model);
    if (!kept.size && this.name === "timeline") return timelineLayout(this.model);
    if (!kept.size && this.name === "map") return mapLayout(this.model);
    const size = { width: this.cy.width(), height: this.cy.height() };
    return flowLayout(this.model, kept, size.width > 0 && size.height > 0 ? size : undefined);
  }

  private force(kept: ReadonlyMap<number, Point>): void {
    if (this.cy.nodes().length < 2) return;
    this.cy
      .layout({
        name: "fcose",
        quality: "default",
        randomize: false,
        animate: false,
        fit: false,
        nodeSeparation: 120,
        idealEdgeLength: 130,
        nodeRepulsion: 9000,
        fixedNodeConstraint: [...kept].map(([id, position]) => ({ nodeId: String(id), position })),
      } as unknown as cytoscape.LayoutOptions)
      .run();
    this.cy.nodes().forEach((node) => {
      node.scratch("placed", true);
    });
  }

  layout(name: LayoutName): void {
    this.name = name;
    this.camera.steered = false;
    const before = new Map(this.cy.nodes().map((node) => [node.id(), { ...node.position() }]));
    this.layAnew();
    this.backdrop.draw();
    this.relabel();
    if (calm() || this.model.nodes.length > MOVING) return;
    // The way there is shown, so that one sees what went where.
    this.cy.nodes().forEach((node) => {
      const to = { ...node.position() };
      node.position(before.get(node.id()) ?? to);
      node.animate({ position: to }, { duration: MOVE_MS, complete: () => this.relabel() });
    });
  }

  fit(ids?: readonly number[]): void {
    const chosen = (ids?.length ? ids : this.model.nodes.map(({ id }) => id)).flatMap(
      (id) => this.placeOf(id) ?? [],
    );
    this.camera.fit(chosen);
  }

  zoom(factor: number): void {
    this.camera.zoom(factor);
  }

  within(line: readonly Point[]): number[] {
    return this.model.nodes
      .filter(({ id }) => {
        const at = this.position(id);
        return at !== null && contains(line, at);
      })
      .map(({ id }) => id);
  }

  select(ids: readonly number[]): void {
    if (this.cy.destroyed()) return;
    this.approach(ids);
    const wanted = new Set(ids);
    this.cy.batch(() => {
      this.cy.nodes().forEach((node) => {
        if (wanted.has(Number(node.id()))) node.select();
        else node.unselect();
      });
    });
    const chosen = this.cy.nodes(":selected");
    if (chosen.empty()) return;
    const box = chosen.renderedBoundingBox({ includeLabels: false, includeOverlays: false });
    const inside = box.x1 >= 0 && box.y1 >= 0 && box.x2 <= this.cy.width() && box.y2 <= this.cy.height();
    if (!inside) this.cy.center(chosen);
  }

  coveredBy(card: Box | null): void {
    const { cy } = this;
    if (cy.destroyed()) return;
    if (!card) {
      this.camera.goBack(this.isMass());
      return;
    }
    const places = (nodes: NodeCollection) => nodes.map((node) => ({ ...node.renderedPosition() }));
    const lit = cy.edges("[?lit]").connectedNodes();
    const topics = this.model.nodes.filter(({ role }) => role === "topic").map(({ id }) => id);
    const about = cy
      .nodes(":selected")
      .union(lit.nonempty() ? lit : cy.nodes().filter((node) => topics.includes(Number(node.id()))));
    // Beside a lit path the others are faint, and of very many some lie below the card wherever it is.
    const others = lit.nonempty() || this.isMass() ? cy.collection() : cy.nodes();
    this.camera.clear(places(about.nodes()), places(others.nodes()), card, this.isMass());
  }

  step(direction: "left" | "right" | "up" | "down"): void {
    const from = this.cy.nodes(":selected").first();
    if (from.empty()) {
      const start = this.model.nodes[0];
      if (start) this.select([start.id]);
      return;
    }
    const here = from.position();
    const costs = this.model.nodes.map(({ id }): [number, number] => {
      const at = this.placeOf(id) ?? here;
      const [dx, dy] = [at.x - here.x, at.y - here.y];
      const along = { left: -dx, right: dx, up: -dy, down: dy }[direction];
      const across = direction === "left" || direction === "right" ? Math.abs(dy) : Math.abs(dx);
      return [id, along > 1 ? along + 2 * across : Infinity];
    });
    const [best, cost] = costs.reduce((a, b) => (b[1] < a[1] ? b : a));
    if (cost < Infinity) this.select([best]);
  }

  position(id: number): Point | null {
    const at = this.placeOf(id);
    if (!at) return null;
    const { x, y } = this.cy.pan();
    return { x: at.x * this.cy.zoom() + x, y: at.y * this.cy.zoom() + y };
  }

  restyle(): void {
    this.cy.style(this.style());
    this.backdrop.ink = readPalette(this.container);
    this.backdrop.draw();
  }

  /** A picture that is taken along has all as elements. */
  private approachAll(): void {
    if (this.backdrop.isEmpty) return;
    this.near = new Set(this.model.nodes.map(({ id }) => id));
    this.update(this.model);
  }

  png(): Promise<Blob> {
    this.approachAll();
    const { surface } = readPalette(this.container);
    return this.cy.png({ output: "blob-promise", full: true, scale: 2, bg: surface });
  }

  async svg(): Promise<Blob> {
    const { default: plugin } = await import("cytoscape-svg");
    if (!("svg" in this.cy)) cytoscape.use(plugin);
    this.approachAll();
    const { surface } = readPalette(this.container);
    const text = (this.cy as Core & { svg: (options: object) => string }).svg({
      full: true,
      scale: 1,
      bg: surface,
    });
    return new Blob([text], { type: "image/svg+xml" });
  }

  destroy(): void {
    this.resize.disconnect();
    clearTimeout(this.labels);
    this.backdrop.destroy();
    this.cy.destroy();
  }
}

export const createGraph: CreateGraph = (container, events) => new Graph(container, events);
