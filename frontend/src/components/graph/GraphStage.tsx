// A drawing of facts with what all drawings have: arrow keys, a lasso, a menu where one clicks, and a table in its place.
import { Suspense, lazy, useEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { Popover } from "react-aria-components";
import { ActList, type Act } from "@/components/kit/controls";
import { Loading } from "@/components/kit/feedback";
import { useMedia } from "@/components/kit/hooks";
import type { GraphEvents, GraphHandle, Point } from "@/graph/handle";
import { useSettings } from "@/store/settings";
import type { GraphModel } from "@/view/graphModel";
import { pressedKey } from "@/view/keys";
import { FactTable } from "./FactTable";
import { Lasso } from "./Lasso";

const loadCanvas = () => import("@/graph/GraphCanvas");
const GraphCanvas = lazy(loadCanvas);

/** Fetch the drawing's code ahead of the first path. */
export function warmGraph(): void {
  void loadCanvas();
}

const DIRECTIONS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" } as const;

/** Selects the entity that is looked at as soon as it is drawn. */
export function useSelectDrawn(
  handle: GraphHandle | null,
  node: number | null,
  isDrawn: boolean,
  selected: readonly number[],
): void {
  const latest = useRef(selected);
  useEffect(() => {
    latest.current = selected;
  });
  useEffect(() => {
    if (!isDrawn || node === null || !handle) return undefined;
    // What comes with the next picture is selected in it.
    const frame = requestAnimationFrame(() => {
      if (!latest.current.includes(node)) handle.select([node]);
    });
    return () => cancelAnimationFrame(frame);
  }, [node, isDrawn, handle]);
}

interface Props {
  model: GraphModel;
  /** How many facts are drawn, where a fact may have several edges. */
  facts?: number;
  events: GraphEvents;
  handle: GraphHandle | null;
  onReady: (handle: GraphHandle | null) => void;
  /** Another drawing is made where it changes. */
  drawing?: number;
  /** What Enter does to the selected entity, and in words. */
  enter: string;
  onEnter: (() => void) | undefined;
  /** Keys that the drawing takes do not reach the page. */
  contained?: boolean;
  table: boolean;
  /** An entity of the table is to be shown in the drawing. */
  onFind: (id: number) => void;
  lasso?: boolean;
  onLasso?: (on: boolean) => void;
  /** Where the menu is open, and what can be done there. */
  menu: Point | null;
  acts: readonly Act[];
  onMenuClose: () => void;
  surface?: RefObject<HTMLDivElement | null>;
  /** Over the drawing. */
  children?: ReactNode;
}

export function GraphStage({
  model,
  events,
  handle,
  table,
  onFind,
  lasso,
  menu,
  onMenuClose,
  ...rest
}: Props) {
  const { facts = model.edges.length, onReady, drawing, enter, onEnter, contained, onLasso } = rest;
  const { acts, surface, children } = rest;
  const { theme } = useSettings();
  const dark = useMedia("(prefers-color-scheme: dark)");
  const anchor = useRef<HTMLSpanElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = pressedKey(event);
    if (key in DIRECTIONS) {
      event.preventDefault();
      handle?.step(DIRECTIONS[key as keyof typeof DIRECTIONS]);
    } else if (key === "Enter" && onEnter) onEnter();
    else return;
    if (!contained) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-interactions -- an application has keys of its own */}
      <div
        ref={surface}
        className="graph-focus"
        tabIndex={0}
        role="application"
        aria-label={`Drawing of ${model.nodes.length} entities and ${facts} facts. Arrow keys move between entities, Enter ${enter}.`}
        onKeyDown={onKeyDown}
        onContextMenu={(event) => event.preventDefault()}
        hidden={table}
      >
        <Suspense fallback={<Loading what="the graph view" />}>
          <GraphCanvas
            key={drawing}
            model={model}
            events={events}
            theme={`${theme}${String(dark)}`}
            onReady={onReady}
          />
        </Suspense>
        {lasso && (
          <Lasso
            onDrawn={(line) => {
              onLasso?.(false);
              handle?.select(handle.within(line));
            }}
          />
        )}
        <span ref={anchor} className="menu-anchor" style={{ left: menu?.x ?? 0, top: menu?.y ?? 0 }} />
        {children}
      </div>
      {table && <FactTable model={model} onFind={onFind} />}
      <Popover
        className="popover"
        triggerRef={anchor}
        isOpen={acts.length > 0}
        onOpenChange={(open) => {
          if (!open) onMenuClose();
        }}
        placement="bottom start"
        aria-label="Actions"
      >
        <ActList
          autoFocus
          label="Actions"
          acts={acts.map((act) => ({
            ...act,
            onAction: () => {
              onMenuClose();
              act.onAction();
            },
          }))}
        />
      </Popover>
    </>
  );
}
