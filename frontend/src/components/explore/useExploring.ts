// What is explored, as the address has it; every act can be taken back.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { pathsBetween, pictureQuery } from "@/api/explore";
import { neighbours } from "@/api/queries";
import type { Graph, NeighbourGroup } from "@/api/types";
import { useUrl, useUrlNumber } from "@/components/kit/url";
import { troubleOf } from "@/components/kit/feedback";
import {
  SHOWN_MAX,
  addressOf,
  exploredGraph,
  exploringOf,
  shownOf,
  withShown,
  without,
  type Exploring,
} from "@/view/exploring";
import type { GraphModel } from "@/view/graphModel";
import { toast } from "@/store/toasts";
import { nameOf } from "@/view/entityNames";

/** A press shows as many facts of a relation; an entity with no more facts than this is expanded at once. */
export const HUB = 25;
const PAGE = 100;
const UNDO_LIMIT = 50;
const NOTHING: GraphModel = { nodes: [], edges: [], total: 0, hidden: 0, explored: 0, settled: true };

export function useExploring(graph: Graph) {
  const [params, put] = useUrl();
  const [node, setNode] = useUrlNumber("node");
  const [past, setPast] = useState<readonly Exploring[]>([]);
  const [selected, setSelected] = useState<readonly number[]>([]);
  const [pathFrom, setPathFrom] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  /** The entity to which others are looked for. */
  const [similar, setSimilar] = useState<number | null>(null);
  const address = params.toString();
  const exploring = useMemo(() => exploringOf(new URLSearchParams(address)), [address]);
  const shown = useMemo(() => shownOf(exploring), [exploring]);
  const current = graph.snapshot?.hash ?? null;
  const version = exploring.version ?? current;
  const picture = useQuery(pictureQuery(graph.id, graph.endpoint ? null : version, shown));
  const data = shown.length ? picture.data : undefined;

  // The steps are laid out one after the other, as they came: the same address gives the same picture.
  const steps = exploring.steps.length;
  const [laid, setLaid] = useState(1);
  useEffect(() => {
    if (!data || laid === steps) return undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setLaid(Math.min(laid + 1, steps)));
    });
    return () => cancelAnimationFrame(frame);
  }, [data, laid, steps]);
  const model = useMemo(
    () => (data ? exploredGraph(exploring, data, Math.min(laid, steps)) : NOTHING),
    [exploring, data, laid, steps],
  );

  const show = (next: Exploring, looked: number | null = node) => {
    if (next === exploring && looked === node) return;
    if (next !== exploring) setPast([...past.slice(1 - UNDO_LIMIT), exploring]);
    put({
      ...addressOf({ ...next, version: graph.endpoint ? null : version }),
      node: looked === null ? null : String(looked),
    });
  };
  const labelOf = (id: number) => nameOf(data?.nodes.find((one) => one.id === id) ?? { label: "" });
  const fits = (added: number) => {
    if (shown.length + added <= SHOWN_MAX) return true;
    toast(`At most ${SHOWN_MAX} entities are drawn at a time. Hide some first.`);
    return false;
  };

  /** Does what takes a moment, one at a time, and says what went wrong. */
  const work = async (what: string, act: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    try {
      await act();
    } catch (error) {
      const { message, hint } = troubleOf(error);
      toast(`${what} ${message} ${hint}`);
    } finally {
      setBusy(false);
    }
  };

  const around = (entity: number, offset: number, limit: number, group?: NeighbourGroup) =>
    neighbours(graph.id, {
      ...{ entity, offset, limit },
      ...(group && { relation: group.relation, direction: group.direction }),
      ...(exploring.version && { snapshot: exploring.version }),
    });

  /** Shows the next facts of a relation: those whose other end is not there yet. */
  const expandBy = (entity: number, group: NeighbourGroup) =>
    work(`${labelOf(entity)} could not be expanded.`, async () => {
      const there = new Set(shown);
      const added: number[] = [];
      for (let offset = 0; offset < group.count && added.length < HUB; offset += PAGE) {
        const { hops } = await around(entity, offset, PAGE, group);
        for (const { target } of hops) if (!there.has(target.id)) added.push(target.id);
        if (hops.length < PAGE) break;
      }
      const next = added.slice(0, HUB);
      if (!next.length) toast(`All of ${group.label} is shown.`);
      else if (fits(next.length)) show(withShown(exploring, next), entity);
    });

  /** Shows all facts of an entity, or what there is to choose from where there are many. */
  const expand = (entity: number) =>
    work(`${labelOf(entity)} could not be expanded.`, async () => {
      const { hops, total } = await around(entity, 0, HUB);
      const next = hops.map((hop) => hop.target.id).filter((id) => !shown.includes(id));
      if (total > hops.length) {
        show(exploring, entity);
        toast(`${labelOf(entity)} has ${total} facts. Choose by relation what to show of them.`);
      } else if (!next.length) {
        toast(
          total ? `All ${total} facts of ${labelOf(entity)} are shown.` : `${labelOf(entity)} is in no fact.`,
        );
      } else if (fits(next.length)) show(withShown(exploring, next), entity);
    });

  const path = (from: number, to: number) =>
    work("The search for a path failed.", async () => {
      setPathFrom(null);
      const found = await pathsBetween(graph.id, graph.endpoint ? null : exploring.version, from, to);
      const [first] = found.paths;
      if (!first) {
        toast(
          `Nothing connects ${labelOf(from)} and ${labelOf(to) || "that entity"} within four facts${
            found.truncated ? ", in what was pulled from the endpoint" : ""
          }.`,
        );
        return;
      }
      const all = found.paths.flatMap((hops) => hops.map((hop) => hop.target.id));
      if (!fits(new Set(all.filter((id) => !shown.includes(id))).size)) return;
      show({ ...withShown(exploring, all), path: [from, ...first.map((hop) => hop.target.id)] }, to);
      const more = found.paths.length - 1 + Number(found.truncated);
      if (more > 0)
        toast(
          `${found.truncated ? "Over " : ""}${found.paths.length} paths of ${first.length} facts: all of them are drawn, the first is lit.`,
        );
    });

  return {
    exploring,
    shown,
    version,
    /** All steps are laid out; more of them only after the next act. */
    isLaid: laid === steps && data !== undefined && !picture.isPlaceholderData,
    isCurrent: graph.endpoint !== null || version === current,
    picture,
    data,
    model,
    node,
    selected,
    setSelected,
    pathFrom,
    setPathFrom,
    similar,
    setSimilar,
    busy,
    labelOf,
    show,
    look: setNode,
    expand,
    expandBy,
    path,
    add: (ids: readonly number[]) => {
      const [only] = ids;
      if (pathFrom !== null && only !== undefined && only !== pathFrom) {
        void path(pathFrom, only);
        return;
      }
      const news = ids.filter((id) => !shown.includes(id));
      if (fits(news.length)) show(withShown(exploring, ids), ids.at(-1) ?? node);
    },
    hide: (ids: readonly number[]) => {
      setSelected([]);
      show(without(exploring, ids), node !== null && ids.includes(node) ? null : node);
    },
    pin: (ids: readonly number[]) => {
      const pinned = ids.every((id) => exploring.pins.includes(id));
      const others = exploring.pins.filter((id) => !ids.includes(id));
      show({ ...exploring, pins: pinned ? others : [...others, ...ids] });
    },
    undo: () => {
      const before = past.at(-1);
      if (!before) return;
      setPast(past.slice(0, -1));
      const stays = node !== null && shownOf(before).includes(node);
      put({
        ...addressOf({ ...before, version: graph.endpoint ? null : version }),
        node: stays ? String(node) : null,
      });
    },
    canUndo: past.length > 0,
  };
}

export type ExploringState = ReturnType<typeof useExploring>;
