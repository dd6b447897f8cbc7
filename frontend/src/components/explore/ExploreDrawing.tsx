// The drawing of what is explored, with its tools.
import { Suspense, lazy, useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import type { Graph } from "@/api/types";
import { FactTable } from "@/components/graph/FactTable";
import { ActList, ActMenu, Button, type Act } from "@/components/kit/controls";
import { Loading } from "@/components/kit/feedback";
import { useMedia, usePageKeys } from "@/components/kit/hooks";
import type { GraphEvents, GraphHandle, LayoutName, Point } from "@/graph/handle";
import { NO_KIND, kindOf } from "@/store/exploring";
import { copyText, download, fileName } from "@/store/files";
import { count, elide } from "@/store/format";
import { useSettings } from "@/store/settings";
import type { ExploringState } from "./useExploring";

const GraphCanvas = lazy(() => import("@/graph/GraphCanvas"));

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

function Choices({
  label,
  names,
  chosen,
  onChange,
}: {
  label: string;
  names: readonly (readonly [name: string, label: string, found: number])[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  return (
    <fieldset>
      <legend className="label">{label}</legend>
      <div className="explore-kinds">
        {names.map(([name, text, found]) => (
          <label key={name} className="check" title={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => {
                const rest = chosen.filter((one) => one !== name);
                onChange(event.target.checked ? [...rest, name] : rest);
              }}
            />
            {elide(text, 60)} <span className="muted tabular">{found}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function tally(names: readonly (readonly [string, string])[]): [string, string, number][] {
  const found = new Map<string, [string, string, number]>();
  for (const [name, label] of names) found.set(name, [name, label, (found.get(name)?.[2] ?? 0) + 1]);
  return [...found.values()].sort((a, b) => b[2] - a[2] || a[1].localeCompare(b[1]));
}

function FilterBox({ state }: { state: ExploringState }) {
  const { data, exploring, show } = state;
  const kinds = tally(
    (data?.nodes ?? []).map(kindOf).map((kind) => [kind || NO_KIND, kind || NO_KIND] as const),
  );
  const relations = tally((data?.hops ?? []).map(({ step }) => [step.name, step.label] as const));
  const filtered = exploring.kinds.length + exploring.relations.length > 0;
  return (
    <Dialog aria-label="Filter what is shown" className="dialog narrow">
      <p className="muted small">Only what is ticked is drawn; where nothing is ticked, all is. Pins stay.</p>
      {kinds.length > 1 && (
        <Choices
          label="Kinds"
          names={kinds}
          chosen={exploring.kinds}
          onChange={(chosen) => show({ ...exploring, kinds: chosen })}
        />
      )}
      {relations.length > 0 && (
        <Choices
          label="Relations"
          names={relations}
          chosen={exploring.relations}
          onChange={(chosen) => show({ ...exploring, relations: chosen })}
        />
      )}
      {filtered && (
        <Button size="small" onPress={() => show({ ...exploring, kinds: [], relations: [] })}>
          Clear the filter
        </Button>
      )}
    </Dialog>
  );
}

interface ToolsProps {
  graph: Graph;
  state: ExploringState;
  handle: GraphHandle | null;
  layout: LayoutName;
  onLayout: (name: LayoutName) => void;
  table: boolean;
  onTable: (table: boolean) => void;
}

function Tools({ graph, state, handle, layout, onLayout, table, onTable }: ToolsProps) {
  const { model, exploring, shown } = state;
  const filtered = exploring.kinds.length + exploring.relations.length > 0;
  const save = (ending: string, blob: Promise<Blob> | undefined) =>
    void blob?.then((content) => download(fileName(`${graph.name} explored`, ending), content));
  const layouts: Act[] = [
    {
      id: "flow",
      label: "Left to right, by hops",
      checked: layout === "flow",
      onAction: () => onLayout("flow"),
    },
    { id: "force", label: "By force", checked: layout === "force", onAction: () => onLayout("force") },
  ];
  return (
    <div className="graph-tools">
      <span className="graph-count small tabular muted" role="status">
        {count(model.nodes.length, "entity", "entities")}, {count(model.edges.length, "fact")}
        {model.hidden > 0 && ` · ${model.hidden} filtered away`}
      </span>
      <span className="grow" />
      <Button
        look="plain"
        size="small"
        icon="undo"
        label="Undo"
        hint="z"
        isDisabled={!state.canUndo}
        onPress={state.undo}
      />
      <DialogTrigger>
        <Button
          look="plain"
          size="small"
          icon="filter"
          isDisabled={shown.length === 0}
          {...(filtered ? { className: "on" } : {})}
          label={filtered ? "Filter (active)" : "Filter"}
        />
        <Popover className="popover" placement="bottom end">
          <FilterBox state={state} />
        </Popover>
      </DialogTrigger>
      <ActMenu
        label="Layout"
        trigger={<Button look="plain" size="small" icon="layout" aria-label="Layout" />}
        acts={layouts}
      />
      <Button
        look="plain"
        size="small"
        icon="table"
        label={table ? "Show the drawing" : "Show as a table"}
        {...(table ? { className: "on" } : {})}
        onPress={() => onTable(!table)}
      />
      <ActMenu
        label="Share what is shown"
        trigger={<Button look="plain" size="small" icon="download" aria-label="Share what is shown" />}
        acts={[
          {
            id: "link",
            label: "Copy the address",
            onAction: () => void copyText(window.location.href, "Address"),
          },
          { id: "png", label: "Image (PNG)", onAction: () => save("png", handle?.png()) },
          { id: "svg", label: "Drawing (SVG)", onAction: () => save("svg", handle?.svg()) },
          {
            id: "json",
            label: "Entities and facts (JSON)",
            onAction: () =>
              download(fileName(`${graph.name} explored`, "json"), JSON.stringify(state.data ?? {}, null, 2)),
          },
        ]}
      />
      <Button
        look="plain"
        size="small"
        icon="minus"
        label="Zoom out"
        hint="-"
        onPress={() => handle?.zoom(0.8)}
      />
      <Button
        look="plain"
        size="small"
        icon="plus"
        label="Zoom in"
        hint="+"
        onPress={() => handle?.zoom(1.25)}
      />
      <Button look="plain" size="small" icon="fit" label="Fit" hint="f" onPress={() => handle?.fit()} />
    </div>
  );
}

export function ExploreDrawing({ graph, state, search, onAsk }: Props) {
  const { model, node, selected, setSelected, pathFrom, setPathFrom, exploring, labelOf } = state;
  const { theme } = useSettings();
  const dark = useMedia("(prefers-color-scheme: dark)");
  const [handle, setHandle] = useState<GraphHandle | null>(null);
  const [layout, setLayout] = useState<LayoutName>("flow");
  const [table, setTable] = useState(false);
  const [menu, setMenu] = useState<(Point & { id: number }) | null>(null);
  const anchor = useRef<HTMLSpanElement>(null);
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
  const latest = useRef(selected);
  useEffect(() => {
    latest.current = selected;
  });
  useEffect(() => {
    if (!isDrawn || !handle) return undefined;
    const frame = requestAnimationFrame(() => {
      if (!latest.current.includes(node)) handle.select([node]);
    });
    return () => cancelAnimationFrame(frame);
  }, [node, isDrawn, handle]);

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
      "/": () => search.current?.focus(),
      "+": () => handle?.zoom(1.25),
      "-": () => handle?.zoom(0.8),
      Escape: () => {
        if (pathFrom !== null) setPathFrom(null);
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
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const onArrow = (event: KeyboardEvent) => {
    const directions: Partial<Record<string, "left" | "right" | "up" | "down">> = {
      ...{ ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" },
    };
    const direction = directions[event.key];
    const [current] = selected;
    if (direction) {
      event.preventDefault();
      handle?.step(direction);
    } else if (event.key === "Enter" && current !== undefined) state.look(current);
  };

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
    ...(state.isCurrent
      ? [{ id: "ask", label: "Ask about this entity", icon: "ask" as const, onAction: () => onAsk([id]) }]
      : []),
    { id: "copy", label: "Copy the name", icon: "copy", onAction: () => void copyText(labelOf(id), "Name") },
    { id: "hide", label: "Hide", icon: "minus", end: "h", onAction: () => state.hide([id]) },
  ];

  return (
    <section className="graph" aria-label="Graph">
      <Tools
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
      />
      <div className="graph-body">
        {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-interactions -- an application has keys of its own */}
        <div
          ref={surface}
          className="graph-focus"
          tabIndex={0}
          role="application"
          aria-label={`Drawing of ${model.nodes.length} entities and ${model.edges.length} facts. Arrow keys move between entities, Enter shows what is known of one.`}
          onKeyDown={onArrow}
          onContextMenu={(event) => event.preventDefault()}
          hidden={table}
        >
          <Suspense fallback={<Loading what="the graph view" />}>
            <GraphCanvas
              model={model}
              events={events}
              theme={`${theme}${String(dark)}`}
              onReady={setHandle}
            />
          </Suspense>
          <span ref={anchor} className="menu-anchor" style={{ left: menu?.x ?? 0, top: menu?.y ?? 0 }} />
        </div>
        {table && (
          <FactTable
            model={model}
            onFind={(id) => {
              setTable(false);
              state.look(id);
            }}
          />
        )}
        {model.nodes.length === 0 && (
          <p className="graph-empty muted">
            {state.shown.length === 0
              ? "Nothing is shown yet. Search for an entity to begin."
              : state.picture.isPending
                ? "The facts are on their way."
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
              Light everything
            </Button>
          </p>
        )}
      </div>
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
            acts={actsOf(menu.id).map((act) => ({
              ...act,
              onAction: () => {
                setMenu(null);
                act.onAction();
              },
            }))}
          />
        )}
      </Popover>
    </section>
  );
}
