// The drawing of an answer as a widget of notebooks: an ES module by itself, which anywidget loads. The Python side is
// clew/notebook.py.
import type { RunEvent } from "@/api/events";
import tokens from "@/styles/tokens.css?inline";
import { nothingExplored } from "@/view/explore";
import { NODE_LIMIT, buildGraph } from "@/view/graphModel";
import { viewAt } from "@/view/runView";
import { createGraph } from "./create";

interface Model {
  get: <K extends keyof State>(name: K) => State[K];
  on: (event: string, callback: () => void) => void;
  off: (event: string, callback: () => void) => void;
}

interface State {
  events: RunEvent[];
  height: number;
  theme: "light" | "dark";
}

const CANVAS = ".canvas { position: relative; overflow: hidden; background: var(--graph-surface); }";

const ignore = () => undefined;
const nothing = { onHover: ignore, onSelect: ignore, onMenu: ignore, onPick: ignore, onExpand: ignore };

/** Draw into an element of the notebook; what is returned takes the drawing away. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = tokens.replace(
    /:root(\[[^\]]*\])?/g,
    (_, theme?: string) => `:host${theme ? `(${theme})` : ""}`,
  );
  style.textContent += CANVAS;
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  canvas.setAttribute("role", "img");
  root.append(style, canvas);

  host.dataset.theme = model.get("theme");
  canvas.style.height = `${model.get("height")}px`;
  const graph = createGraph(canvas, nothing);
  const draw = () => {
    host.dataset.theme = model.get("theme");
    canvas.style.height = `${model.get("height")}px`;
    const events = model.get("events");
    const view = viewAt(events[0]?.run ?? "", events, Infinity);
    const options = {
      chain: null,
      limit: NODE_LIMIT,
      only: "evidence" as const,
      relations: new Set<string>(),
    };
    const drawn = buildGraph(view, nothingExplored, options);
    const names = drawn.nodes.filter(({ role }) => role === "answer").map(({ label }) => label);
    canvas.setAttribute("aria-label", `Graph of the answer: ${names.join(", ") || "none"}`);
    graph.restyle();
    graph.update(drawn);
  };
  draw();
  const changes = ["change:events", "change:height", "change:theme"];
  for (const change of changes) model.on(change, draw);
  return () => {
    for (const change of changes) model.off(change, draw);
    graph.destroy();
    host.remove();
  };
}

export default { render };
