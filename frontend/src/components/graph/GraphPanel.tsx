// The live graph of a run, with everything one can do in it.
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Node } from "@/api/events";
import type { Id } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import { useUrlNumber } from "@/components/kit/url";
import type { GraphEvents, GraphHandle, LayoutName } from "@/graph/handle";
import { integer } from "@/view/format";
import { isOver, type RunView } from "@/view/runView";
import { pressedKey } from "@/view/keys";
import { GraphStage, useSelectDrawn } from "./GraphStage";
import { GraphToolbar } from "./GraphToolbar";
import { HoverCard, type Target } from "./HoverCard";
import { Inspector } from "./Inspector";
import { KindLegend } from "./KindLegend";
import { Legend } from "./Legend";
import { RelationChooser } from "./RelationChooser";
import { SelectionCard } from "./SelectionCard";
import { SimilarDialog } from "./SimilarDialog";
import { useBeside } from "./useBeside";
import { useGraphActs } from "./useGraphActs";
import { useGraphView } from "./useGraphView";

interface Props {
  graph: Id;
  view: RunView;
  chain: number | null;
  onAsk: (about: readonly { id: number; label: string }[]) => void;
  onClearChain: () => void;
  /** Facts and jumps that something outside the drawing points at. */
  lit?: readonly string[] | undefined;
  /** Entities that something outside the drawing points at: drawn, selected, and lit before the rest. */
  litNodes?: readonly Node[] | undefined;
  /** In a comparison: the runs that walked each fact, and the keys and names of those runs. */
  walkedBy?: ReadonlyMap<string, readonly number[]>;
  runs?: ReactNode;
}

export function GraphPanel(props: Props) {
  const { graph, view, chain, onAsk, onClearChain, lit, litNodes, walkedBy, runs } = props;
  const [node, setNode] = useUrlNumber("node");
  const [edge, setEdge] = useState<string | null>(null);
  const state = useGraphView(graph, view, { chain, lit, litNodes, node, walkedBy });
  const { model, dispatch, selected } = state;
  const snapshot = view.started?.snapshot ?? null;
  const acts = useGraphActs(graph, state, { onAsk, onClearChain, snapshot });
  const { labelOf, expand, hub, setHub, pathFrom, setPathFrom } = acts;
  const [handle, setHandle] = useState<GraphHandle | null>(null);
  const [layout, setLayout] = useState<LayoutName>("flow");
  const [table, setTable] = useState(false);
  const [lasso, setLasso] = useState(false);
  const [hover, setHover] = useState<Target | null>(null);
  const [menu, setMenu] = useState<Target | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);

  const isDrawn = node !== null && model.nodes.some((one) => one.id === node);
  useSelectDrawn(handle, node, isDrawn, selected);

  useEffect(() => {
    if (!litNodes || !handle) return undefined;
    const frame = requestAnimationFrame(() => handle.select(litNodes.map((one) => one.id)));
    return () => {
      cancelAnimationFrame(frame);
      handle.select([]);
    };
  }, [litNodes, handle]);

  const events: GraphEvents = {
    onHover: (target, at) => setHover(target && { ...target, ...at }),
    onSelect: acts.select,
    onPick: (target) => {
      setEdge(target?.kind === "edge" ? target.id : null);
      if (target?.kind === "node" || node !== null) setNode(target?.kind === "node" ? target.id : null);
    },
    onMenu: (target, at) => {
      setHover(null);
      setMenu({ ...target, ...at });
    },
    onExpand: (id) => void expand(id),
  };

  // They work wherever the focus is, as long as nobody is typing.
  const [current] = selected;
  usePageKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      f: () => handle?.fit(),
      z: () => {
        dispatch({ type: "undo" });
      },
      l: () => setLasso(!lasso),
      "/": () => search.current?.focus(),
      "+": () => handle?.zoom(1.25),
      "-": () => handle?.zoom(0.8),
      Escape: () => {
        setPathFrom(null);
        setEdge(null);
        if (lasso) setLasso(false);
        else if (node !== null) setNode(null);
        else if (state.hand.marked.length) dispatch({ type: "mark", facts: [] });
        else onClearChain();
      },
      ...(current !== undefined && {
        e: () => void expand(current),
        h: () => {
          acts.hide(selected);
        },
        i: () => acts.pin(selected),
        p: () => {
          acts.startPath(current);
        },
      }),
    };
    const act = keys[pressedKey(event)];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const openMenu = (id: number) => {
    const at = handle?.position(id);
    if (at) setMenu({ kind: "node", id, ...at });
  };
  const picked =
    edge !== null
      ? { kind: "edge" as const, id: edge }
      : isDrawn
        ? { kind: "node" as const, id: node }
        : null;
  const several = selected.length > 1 && !litNodes;
  const card = several ? "several" : picked && selected.length < 2 ? `${picked.kind} ${picked.id}` : null;
  useBeside(handle, body, table ? null : card);

  return (
    <section className="graph" aria-label="Graph">
      <GraphToolbar
        state={state}
        handle={handle}
        title={view.started?.question ?? "graph"}
        layout={layout}
        onLayout={(name) => {
          setLayout(name);
          handle?.layout(name);
        }}
        table={table}
        onTable={setTable}
        search={search}
        lasso={lasso}
        onLasso={setLasso}
      />
      {runs}
      <div className="graph-body" ref={body}>
        <GraphStage
          {...{ model, events, handle, table, lasso, menu }}
          facts={model.edges.filter((edge) => edge.strand === 0).length}
          onReady={setHandle}
          enter="opens the menu"
          onEnter={current === undefined ? undefined : () => openMenu(current)}
          onFind={(id) => {
            setTable(false);
            handle?.select([id]);
          }}
          onLasso={setLasso}
          acts={menu ? acts.actsOf(menu) : []}
          onMenuClose={() => setMenu(null)}
        >
          {hover && !menu && <HoverCard graph={graph} target={hover} model={model} view={view} />}
        </GraphStage>
        {model.nodes.length === 0 && (
          <p className="graph-empty muted">
            {state.hand.hidden.size || state.isFiltered
              ? "Everything is hidden or filtered away. Undo with z, or clear the filter."
              : isOver(view.phase)
                ? "No entity was found, so there is nothing to draw."
                : "Entities and paths appear here as they are found."}
          </p>
        )}
        {pathFrom !== null && (
          <p className="graph-say" role="status">
            Path from <strong>{labelOf(pathFrom)}</strong>: pick the other end. <kbd>Esc</kbd> gives up.
          </p>
        )}
        {!table && (model.explored > 0 || (state.over && state.only === "all" && !walkedBy)) && (
          <Button
            size="small"
            className="explored"
            onPress={() => state.setOnly(state.only === "all" ? "evidence" : "all")}
          >
            {state.only === "all" ? "Evidence only" : `+${integer(model.explored)} explored`}
          </Button>
        )}
        {several && !table && (
          <aside className="inspector" aria-label="What is selected">
            <SelectionCard
              names={selected.map(labelOf)}
              pinned={acts.isPinned(selected)}
              onPin={() => acts.pin(selected)}
              onHide={() => acts.hide(selected)}
              onPath={() => acts.startPath(selected[0] ?? 0)}
              onAsk={() => acts.askAbout(selected)}
            />
          </aside>
        )}
        {picked && selected.length < 2 && !table && (
          <Inspector
            graph={graph}
            picked={picked}
            model={model}
            view={view}
            onExpand={(id) => void expand(id)}
            onAsk={(id) => acts.askAbout([id])}
            onPin={(id) => acts.pin([id])}
            onSimilar={(id) => acts.setSimilar({ id, label: labelOf(id) })}
            onClose={() => {
              setEdge(null);
              setNode(null);
              handle?.select([]);
            }}
          />
        )}
        <p className="sr-only" role="status">
          {current !== undefined && `${labelOf(current)} selected`}
        </p>
      </div>
      {!table && <KindLegend model={model} onSelect={(ids) => handle?.select(ids)} />}
      {!table && (
        <Legend
          model={model}
          pinned={state.hand.pinned.size > 0}
          agent={view.agent.length > 0}
          window={!state.over && view.agent.some((walk) => walk.event.chosen !== null)}
        />
      )}
      {acts.similar && (
        <SimilarDialog
          graph={graph}
          snapshot={snapshot}
          node={acts.similar}
          isShown={(id) => model.nodes.some((one) => one.id === id)}
          onAdd={(_, hops) => dispatch({ type: "expand", hops })}
          onClose={() => acts.setSimilar(null)}
        />
      )}
      {hub && (
        <RelationChooser
          graph={graph}
          snapshot={snapshot}
          node={hub}
          onAdd={(hops) => dispatch({ type: "expand", hops })}
          onClose={() => setHub(null)}
        />
      )}
    </section>
  );
}
