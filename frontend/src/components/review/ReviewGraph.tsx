// The paths of an item in the graph: one lit, what it reaches in three marks, and every hop a way to change it.
import { useMemo, useState } from "react";
import type { Drawing, Item } from "@/api/review";
import { GraphStage } from "@/components/graph/GraphStage";
import { ZoomButtons } from "@/components/graph/ViewButtons";
import { IconButton, type Act } from "@/components/kit/controls";
import { ErrorNotice } from "@/components/kit/feedback";
import type { GraphEvents, GraphHandle, Point } from "@/graph/handle";
import type { GraphModel } from "@/view/graphModel";
import { reviewGraph, type Shown } from "@/view/reviewGraph";
import type { Places } from "@/view/reviewPath";
import { showKey, useKeymap } from "@/store/reviewKeys";

type Target = { kind: "node"; id: number } | { kind: "edge"; id: string };

export interface HopActs {
  /** Where the lit path's hops and entities are on it; null when none can be changed. */
  places: Places;
  onChange: (step: number) => void;
  /** Go on from an entity: the path ends there, and its next hop is chosen. */
  onExtend: (level: number) => void;
  onCut: (step: number) => void;
}

interface Props {
  item: Pick<Item, "id" | "topics" | "answers" | "assumed" | "answered">;
  drawings: readonly Drawing[];
  lit: number | null;
  shown: Shown;
  pending: boolean;
  error: unknown;
  hops: HopActs | null;
  onReady: (handle: GraphHandle | null) => void;
}

const MARKS: [string, string, string][] = [
  ["topic", "topic", ""],
  ["hit", "hit", "an answer that it reaches"],
  ["extra", "extra", "reached, and no answer"],
  ["missed", "missed", "an answer that it does not reach"],
];

function Marks() {
  return (
    <ul className="legend" aria-label="Legend">
      {MARKS.map(([mark, word, about]) => (
        <li key={mark} title={about}>
          <svg viewBox="0 0 20 12" width="20" height="12" aria-hidden="true" className={`mark m-${mark}`}>
            {mark === "hit" || mark === "missed" ? (
              <path d="M10 .5l1.700 3.600 3.900.5-2.900 2.700.8 3.900-3.500-1.900-3.500 1.900.8-3.900-2.900-2.700 3.900-.5z" />
            ) : mark === "extra" ? (
              <path d="M10 1l5 5-5 5-5-5z" />
            ) : (
              <circle cx="10" cy="6" r="4.200" />
            )}
          </svg>
          <strong>{word}</strong> {about}
        </li>
      ))}
    </ul>
  );
}

function hoverText(model: GraphModel, target: Target): [string, string] | null {
  if (target.kind === "node") {
    const node = model.nodes.find((one) => one.id === target.id);
    if (!node) return null;
    return [node.label, node.mark ? (MARKS.find(([mark]) => mark === node.mark)?.[2] ?? "") : node.role];
  }
  const edge = model.edges.find((one) => one.id === target.id);
  if (!edge) return null;
  const name = (id: number) => model.nodes.find((one) => one.id === id)?.label ?? "";
  return [`${name(edge.source)} → ${edge.label} → ${name(edge.target)}`, edge.relation];
}

export function ReviewGraph({ item, drawings, lit, shown, pending, error, hops, onReady }: Props) {
  const keymap = useKeymap();
  const model = useMemo(() => reviewGraph(drawings, item, lit, shown), [drawings, item, lit, shown]);
  const [handle, setHandle] = useState<GraphHandle | null>(null);
  const [table, setTable] = useState(false);
  const [hover, setHover] = useState<{ target: Target; at: Point } | null>(null);
  const [menu, setMenu] = useState<{ target: Target; at: Point } | null>(null);
  const [selected, setSelected] = useState<readonly number[]>([]);
  const acts = menu && hops ? menuActs(model, menu.target, hops) : [];
  const events: GraphEvents = {
    onHover: (target, at) => setHover(target && { target, at }),
    onSelect: setSelected,
    onMenu: (target, at) => {
      setHover(null);
      setMenu({ target, at });
    },
    onPick: () => undefined,
    onExpand: (id) => {
      const level = hops?.places.levels.get(id);
      if (level !== undefined) hops?.onExtend(level);
    },
  };
  const [current] = selected;
  const openMenu = (id: number) => {
    const at = handle?.position(id);
    if (at) setMenu({ target: { kind: "node", id }, at });
  };
  const told = hover && !menu ? hoverText(model, hover.target) : null;
  return (
    <section className="graph" aria-label="Graph">
      <div className="graph-tools">
        <span className="small muted elide">
          {hops ? "Right-click a hop to change it; double-click an entity to go on from there" : ""}
        </span>
        <span className="grow" />
        <IconButton
          icon="table"
          label={table ? "Show the drawing" : "Show as a table"}
          {...(table ? { className: "on" } : {})}
          onPress={() => setTable(!table)}
        />
        <ZoomButtons handle={handle} keys={{ fit: showKey(keymap.fit) }} isDisabled={table} />
      </div>
      <div className="graph-body">
        <GraphStage
          {...{ model, events, handle, table, acts }}
          drawing={item.id}
          onReady={(ready) => {
            setHandle(ready);
            onReady(ready);
          }}
          enter="opens the menu"
          onEnter={current === undefined ? undefined : () => openMenu(current)}
          contained
          onFind={(id) => {
            setTable(false);
            handle?.select([id]);
          }}
          menu={menu?.at ?? null}
          onMenuClose={() => setMenu(null)}
        >
          {told && hover && (
            <div className="hover-card" style={{ left: hover.at.x + 14, top: hover.at.y + 14 }}>
              <p>
                <strong>{told[0]}</strong>
              </p>
              <p className="muted">{told[1]}</p>
            </div>
          )}
        </GraphStage>
        {error ? <ErrorNotice error={error} /> : null}
        {!pending && !error && shown === "all" && model.edges.length === 0 && (
          <p className="graph-empty muted">No candidate of this question reaches anything in the graph.</p>
        )}
      </div>
      <Marks />
    </section>
  );
}

function menuActs(model: GraphModel, target: Target, hops: HopActs): Act[] {
  const { places, onChange, onExtend, onCut } = hops;
  if (target.kind === "node") {
    const level = places.levels.get(target.id);
    if (level === undefined) return [];
    return [
      { id: "extend", label: "Continue from here…", icon: "plus", onAction: () => onExtend(level) },
      ...(level > 0
        ? [
            {
              id: "change",
              label: "Another way here…",
              icon: "filter" as const,
              onAction: () => onChange(level - 1),
            },
          ]
        : []),
    ];
  }
  const fact = model.edges.find((one) => one.id === target.id)?.fact;
  const step = fact === undefined ? undefined : places.steps.get(fact);
  if (step === undefined) return [];
  return [
    { id: "change", label: "Another relation…", icon: "filter", onAction: () => onChange(step) },
    { id: "cut", label: "Cut the path before this hop", icon: "minus", onAction: () => onCut(step) },
  ];
}
