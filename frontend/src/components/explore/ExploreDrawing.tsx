// The drawing of what is explored, with its tools.
import { useEffect, useRef, useState, type RefObject } from "react";
import type { Graph } from "@/api/types";
import { GraphStage, useSelectDrawn } from "@/components/graph/GraphStage";
import { KindLegend } from "@/components/graph/KindLegend";
import { SimilarDialog } from "@/components/graph/SimilarDialog";
import { Button, type Act } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import type { GraphEvents, GraphHandle, LayoutName, Point } from "@/graph/handle";
import { copyText } from "@/components/kit/files";
import { count, elide } from "@/view/format";
import { pressedKey } from "@/view/keys";
import { ExploreTools } from "./ExploreTools";
import type { ExploringState } from "./useExploring";

/** After so long what was added has its place. */
const SETTLED_MS = 80;
/** What is nearer to the edge of the drawing, in pixels, is cut. */
const EDGE = 40;

interface Props {
  graph: Graph;
  state: ExploringState;
  search: RefObject<HTMLInputElement | null>;
  onAsk: (ids: readonly number[]) => void;
}

export function ExploreDrawing({ graph, state, search, onAsk }: Props) {
  const { model, node, selected, setSelected, pathFrom, setPathFrom, exploring, labelOf, similar } = state;
  const [handle, setHandle] = useState<GraphHandle | null>(null);
  const [layout, setLayout] = useState<LayoutName>("flow");
  const [table, setTable] = useState(false);
  const [lasso, setLasso] = useState(false);
  const [menu, setMenu] = useState<(Point & { id: number }) | null>(null);
  const surface = useRef<HTMLDivElement>(null);

  // What was added may lie beside what is seen; then all is brought into view, each thing in its place.
  const { isLaid } = state;
  useEffect(() => {
    if (!isLaid || !handle) return undefined;
    const timer = setTimeout(() => {
      const { clientWidth: width, clientHeight: height } = surface.current ?? {
        clientWidth: 0,
        clientHeight: 0,
      };
      const isOut = ({ id }: { id: number }) => {
        const at = handle.position(id);
        return at !== null && (at.x < EDGE || at.y < EDGE || at.x > width - EDGE || at.y > height - EDGE);
      };
      if (width > 0 && model.nodes.some(isOut)) handle.fit();
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isLaid, handle, model]);

  const isDrawn = node !== null && model.nodes.some((one) => one.id === node);
  useSelectDrawn(handle, node, isDrawn, selected);

  const select = (ids: readonly number[]) => {
    setSelected(ids);
    const [only] = ids;
    if (pathFrom !== null && ids.length === 1 && only !== undefined && only !== pathFrom)
      void state.path(pathFrom, only);
  };
  const events: GraphEvents = {
    onHover: () => undefined,
    onSelect: select,
    onPick: (target) => {
      if (target?.kind === "edge") return;
      state.look(target?.id ?? null);
    },
    onMenu: (target, at) => {
      if (target.kind === "node") setMenu({ id: target.id, ...at });
    },
    onExpand: (id) => void state.expand(id),
  };

  usePageKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = selected[0] ?? node;
    const keys: Record<string, () => void> = {
      f: () => handle?.fit(),
      z: state.undo,
      l: () => setLasso(!lasso),
      "/": () => search.current?.focus(),
      "+": () => handle?.zoom(1.25),
      "-": () => handle?.zoom(0.8),
      Escape: () => {
        if (lasso) setLasso(false);
        else if (pathFrom !== null) setPathFrom(null);
        else if (exploring.path.length) state.show({ ...exploring, path: [] });
        else state.look(null);
      },
      ...(current !== null && {
        e: () => void state.expand(current),
        h: () => state.hide(selected.length ? selected : [current]),
        i: () => state.pin(selected.length ? selected : [current]),
        p: () => {
          const [one, two] = selected;
          if (selected.length === 2 && one !== undefined && two !== undefined) void state.path(one, two);
          else setPathFrom(current);
        },
      }),
    };
    const act = keys[pressedKey(event)];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const [only] = selected;
  const actsOf = (id: number): Act[] => [
    { id: "expand", label: "Expand", icon: "plus", end: "e", onAction: () => void state.expand(id) },
    { id: "facts", label: "Choose by relation…", icon: "filter", onAction: () => state.look(id) },
    { id: "path", label: "Path to another…", icon: "link", end: "p", onAction: () => setPathFrom(id) },
    {
      id: "pin",
      label: exploring.pins.includes(id) ? "Unpin" : "Pin",
      icon: "pin",
      end: "i",
      onAction: () => state.pin([id]),
    },
    ...(graph.endpoint
      ? []
      : [
          {
            ...{ id: "similar", label: "Find similar…", icon: "search" as const },
            onAction: () => state.setSimilar(id),
          },
        ]),
    ...(state.isCurrent
      ? [{ id: "ask", label: "Ask about this entity", icon: "ask" as const, onAction: () => onAsk([id]) }]
      : []),
    { id: "copy", label: "Copy the name", icon: "copy", onAction: () => void copyText(labelOf(id), "Name") },
    { id: "hide", label: "Hide", icon: "minus", end: "h", onAction: () => state.hide([id]) },
  ];

  return (
    <section className="graph" aria-label="Graph">
      <ExploreTools
        graph={graph}
        state={state}
        handle={handle}
        layout={layout}
        onLayout={(name) => {
          setLayout(name);
          handle?.layout(name);
        }}
        table={table}
        onTable={setTable}
        lasso={lasso}
        onLasso={setLasso}
      />
      <div className="graph-body">
        <GraphStage
          {...{ model, events, handle, table, lasso, menu, surface }}
          onReady={setHandle}
          enter="shows what is known of one"
          onEnter={only === undefined ? undefined : () => state.look(only)}
          onFind={(id) => {
            setTable(false);
            state.look(id);
          }}
          onLasso={setLasso}
          acts={menu ? actsOf(menu.id) : []}
          onMenuClose={() => setMenu(null)}
        />
        {model.nodes.length === 0 && (
          <p className="graph-empty muted">
            {state.shown.length === 0
              ? "Nothing is shown yet. Search for an entity to begin."
              : state.picture.isPending
                ? "The facts are loading."
                : state.picture.error
                  ? "What was shown could not be read."
                  : "Everything is filtered away. Clear the filter, or undo with z."}
          </p>
        )}
        {pathFrom !== null && (
          <p className="graph-say" role="status">
            Path from <strong>{elide(labelOf(pathFrom), 60)}</strong>: select the other end. <kbd>Esc</kbd>{" "}
            gives up.
          </p>
        )}
        {exploring.path.length > 0 && pathFrom === null && (
          <p className="graph-say" role="status">
            A path of {count(exploring.path.length - 1, "fact")} is lit.{" "}
            <Button size="small" onPress={() => state.show({ ...exploring, path: [] })}>
              Highlight everything
            </Button>
          </p>
        )}
      </div>
      {!table && <KindLegend model={model} onSelect={(ids) => handle?.select(ids)} />}
      {similar !== null && (
        <SimilarDialog
          graph={graph.id}
          snapshot={state.version}
          node={{ id: similar, label: labelOf(similar) }}
          isShown={(id) => state.shown.includes(id)}
          onAdd={(id) => state.add([id])}
          onClose={() => state.setSimilar(null)}
        />
      )}
    </section>
  );
}
