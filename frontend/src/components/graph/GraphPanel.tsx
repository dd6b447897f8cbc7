// The live graph of a run, with everything one can do in it.
import {
  Suspense,
  lazy,
  useCallback,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { Popover } from "react-aria-components";
import { neighbours } from "@/api/queries";
import type { Id } from "@/api/types";
import { ActList, type Act } from "@/components/kit/controls";
import { usePageKeys } from "@/components/kit/hooks";
import { Loading, troubleOf } from "@/components/kit/feedback";
import type { GraphEvents, GraphHandle, LayoutName } from "@/graph/handle";
import { copyText } from "@/store/files";
import { pathWithin } from "@/store/graphEdges";
import { isOver, type RunView } from "@/store/runView";
import { toast } from "@/store/toasts";
import { FactTable } from "./FactTable";
import { GraphToolbar } from "./GraphToolbar";
import { HoverCard, type Target } from "./HoverCard";
import { Legend } from "./Legend";
import { HUB, RelationChooser } from "./RelationChooser";
import { useGraphView } from "./useGraphView";

const loadCanvas = () => import("@/graph/GraphCanvas");
const GraphCanvas = lazy(loadCanvas);

/** Fetch the drawing's code ahead of the first path. */
export function warmGraph(): void {
  void loadCanvas();
}

interface Props {
  graph: Id;
  view: RunView;
  chain: number | null;
  theme: string;
  /** An entity to look at; a new object asks anew. */
  find: { id: number } | null;
  onAsk: (about: { id: number; label: string }) => void;
  onClearChain: () => void;
  /** Facts and jumps that something outside the drawing points at. */
  lit?: readonly string[] | undefined;
  /** Entities that something outside the drawing points at: selected, and lit before the rest. */
  litNodes?: readonly number[] | undefined;
  /** In a comparison: the runs that walked each fact, and the keys and names of those runs. */
  walkedBy?: ReadonlyMap<string, readonly number[]>;
  runs?: ReactNode;
}

export function GraphPanel(props: Props) {
  const { graph, view, chain, theme, find, onAsk, onClearChain, lit, litNodes, walkedBy, runs } = props;
  const state = useGraphView(view, { chain, lit, litNodes, walkedBy });
  const { model, dispatch, selected, setSelected } = state;
  const [handle, setHandle] = useState<GraphHandle | null>(null);
  const [layout, setLayout] = useState<LayoutName>("flow");
  const [table, setTable] = useState(false);
  const [hover, setHover] = useState<Target | null>(null);
  const [menu, setMenu] = useState<Target | null>(null);
  const [hub, setHub] = useState<{ id: number; label: string } | null>(null);
  const [pathFrom, setPathFrom] = useState<number | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);

  const labelOf = useCallback(
    (id: number) => model.nodes.find((node) => node.id === id)?.label ?? "",
    [model],
  );

  useEffect(() => {
    if (find) handle?.select([find.id]);
  }, [find, handle]);

  // What is not drawn yet when they are pointed at is selected as it comes.
  useEffect(() => {
    if (!litNodes || !handle) return undefined;
    const frame = requestAnimationFrame(() => handle.select(litNodes));
    return () => cancelAnimationFrame(frame);
  }, [litNodes, handle]);

  const expand = async (id: number) => {
    try {
      const answer = await neighbours(graph, { entity: id, limit: HUB });
      const total = answer.groups.reduce((sum, group) => sum + group.count, 0) || answer.total;
      if (total > answer.hops.length) {
        setHub({ id, label: labelOf(id) });
      } else if (total === 0) {
        toast(`${labelOf(id)} is in no fact of this graph.`);
      } else {
        const before = new Set(model.edges.map((edge) => edge.fact));
        dispatch({ type: "expand", hops: answer.hops });
        if (answer.hops.length <= before.size && model.nodes.find((n) => n.id === id)?.degree === total) {
          toast(`All ${total} facts of ${labelOf(id)} are shown.`);
        }
      }
    } catch (error) {
      const { message, hint } = troubleOf(error);
      toast(`${labelOf(id)} could not be expanded. ${message} ${hint}`);
    }
  };

  const hide = (ids: readonly number[]) => {
    for (const id of ids) dispatch({ type: "hide", node: id });
    setSelected([]);
  };

  const mark = (from: number, to: number) => {
    const facts = pathWithin(model, from, to);
    setPathFrom(null);
    if (!facts.length) {
      toast(
        `Nothing on show connects ${labelOf(from)} and ${labelOf(to)}. Expand one of them and try again.`,
      );
      return;
    }
    onClearChain();
    dispatch({ type: "mark", facts });
  };

  const startPath = (id: number) => {
    const [one, two] = selected;
    if (selected.length === 2 && one !== undefined && two !== undefined) {
      mark(one, two);
      return;
    }
    setPathFrom(id);
  };

  const events: GraphEvents = {
    onHover: (target, at) => setHover(target && { ...target, ...at }),
    onSelect: (nodes) => {
      setSelected(nodes);
      const [only] = nodes;
      if (pathFrom !== null && nodes.length === 1 && only !== undefined && only !== pathFrom)
        mark(pathFrom, only);
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
      "/": () => search.current?.focus(),
      "+": () => handle?.zoom(1.25),
      "-": () => handle?.zoom(0.8),
      Escape: () => {
        setPathFrom(null);
        if (state.hand.marked.length) dispatch({ type: "mark", facts: [] });
        else onClearChain();
      },
      ...(current !== undefined && {
        e: () => void expand(current),
        h: () => {
          hide(selected);
        },
        p: () => {
          startPath(current);
        },
      }),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const onArrow = (event: KeyboardEvent) => {
    const directions = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" } as const;
    const direction = directions[event.key as keyof typeof directions] as
      (typeof directions)[keyof typeof directions] | undefined;
    if (direction) {
      event.preventDefault();
      handle?.step(direction);
    } else if (event.key === "Enter" && current !== undefined) {
      const at = handle?.position(current);
      if (at) setMenu({ kind: "node", id: current, ...at });
    }
  };

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
      />
      {runs}
      <div className="graph-body">
        {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-interactions -- an application has keys of its own */}
        <div
          className="graph-focus"
          tabIndex={0}
          role="application"
          aria-label={`Drawing of ${model.nodes.length} entities and ${model.edges.filter((edge) => edge.strand === 0).length} facts. Arrow keys move between entities, Enter opens the menu.`}
          onKeyDown={onArrow}
          onContextMenu={(event) => event.preventDefault()}
          hidden={table}
        >
          <Suspense fallback={<Loading what="the graph view" />}>
            <GraphCanvas model={model} events={events} theme={theme} onReady={setHandle} />
          </Suspense>
          <span ref={anchor} className="menu-anchor" style={{ left: menu?.x ?? 0, top: menu?.y ?? 0 }} />
          {hover && !menu && <HoverCard graph={graph} target={hover} model={model} view={view} />}
        </div>
        {table && (
          <FactTable
            model={model}
            onFind={(id) => {
              setTable(false);
              handle?.select([id]);
            }}
          />
        )}
        {model.nodes.length === 0 && (
          <p className="graph-empty muted">
            {state.hand.hidden.size || state.only !== "all" || state.relations.size
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
        <p className="sr-only" role="status">
          {current !== undefined && `${labelOf(current)} selected`}
        </p>
      </div>
      {!table && (
        <Legend
          agent={view.agent.length > 0}
          window={!state.over && view.agent.some((walk) => walk.event.chosen !== null)}
        />
      )}
      <Popover
        className="popover"
        triggerRef={anchor}
        isOpen={menu !== null}
        onOpenChange={(open) => {
          if (!open) setMenu(null);
        }}
        placement="bottom start"
        aria-label="Actions"
      >
        {menu && (
          <ActList
            autoFocus
            label="Actions"
            acts={menuActs(menu).map((act) => ({
              ...act,
              onAction: () => {
                setMenu(null);
                act.onAction();
              },
            }))}
          />
        )}
      </Popover>
      {hub && (
        <RelationChooser
          graph={graph}
          node={hub}
          onAdd={(hops) => dispatch({ type: "expand", hops })}
          onClose={() => setHub(null)}
        />
      )}
    </section>
  );

  function menuActs(target: Target): Act[] {
    if (target.kind === "edge") {
      const edge = model.edges.find((one) => one.id === target.id);
      const text = edge ? `${labelOf(edge.source)} → ${edge.relation} → ${labelOf(edge.target)}` : "";
      return [
        { id: "copy", label: "Copy the fact", icon: "copy", onAction: () => void copyText(text, "Fact") },
      ];
    }
    const id = Number(target.id);
    const label = labelOf(id);
    return [
      { id: "expand", label: "Expand", icon: "plus", end: "e", onAction: () => void expand(id) },
      { id: "choose", label: "Expand by relation…", icon: "filter", onAction: () => setHub({ id, label }) },
      { id: "path", label: "Path to another…", icon: "link", end: "p", onAction: () => startPath(id) },
      { id: "ask", label: "Ask about this entity", icon: "ask", onAction: () => onAsk({ id, label }) },
      { id: "copy", label: "Copy the name", icon: "copy", onAction: () => void copyText(label, "Name") },
      { id: "hide", label: "Hide", icon: "minus", end: "h", onAction: () => hide([id]) },
    ];
  }
}
