// What one can do with an entity of the drawing: expand it, hide it, go from it to another.
import { useState } from "react";
import { neighbours } from "@/api/queries";
import type { Id } from "@/api/types";
import type { Act } from "@/components/kit/controls";
import { troubleOf } from "@/components/kit/feedback";
import { copyText } from "@/components/kit/files";
import { pathWithin } from "@/view/graphEdges";
import { toast } from "@/store/toasts";
import type { Target } from "./HoverCard";
import { HUB } from "./RelationChooser";
import type { GraphState } from "./useGraphView";

interface Around {
  onAsk: (about: readonly { id: number; label: string }[]) => void;
  onClearChain: () => void;
  /** The hash of the version that the numbers of entities are of; null takes the current one. */
  snapshot: string | null;
}

export function useGraphActs(graph: Id, state: GraphState, { onAsk, onClearChain, snapshot }: Around) {
  const { model, dispatch, selected, setSelected } = state;
  const [hub, setHub] = useState<{ id: number; label: string } | null>(null);
  const [pathFrom, setPathFrom] = useState<number | null>(null);
  /** The entity to which others are looked for. */
  const [similar, setSimilar] = useState<{ id: number; label: string } | null>(null);

  const labelOf = (id: number) => model.nodes.find((node) => node.id === id)?.label ?? "";

  const expand = async (id: number) => {
    try {
      const answer = await neighbours(graph, { entity: id, limit: HUB, ...(snapshot && { snapshot }) });
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
    dispatch({ type: "hide", nodes: ids });
    setSelected([]);
  };

  const pin = (ids: readonly number[]) => dispatch({ type: "pin", nodes: ids });
  const isPinned = (ids: readonly number[]) => ids.every((id) => state.hand.pinned.has(id));
  const askAbout = (ids: readonly number[]) => onAsk(ids.map((id) => ({ id, label: labelOf(id) })));

  const mark = (from: number, to: number) => {
    const facts = pathWithin(model, from, to);
    setPathFrom(null);
    if (!facts.length) {
      toast(`Nothing shown connects ${labelOf(from)} and ${labelOf(to)}. Expand one of them and try again.`);
      return;
    }
    onClearChain();
    dispatch({ type: "mark", facts });
  };

  const startPath = (id: number) => {
    const [one, two] = selected;
    if (selected.length === 2 && one !== undefined && two !== undefined) mark(one, two);
    else setPathFrom(id);
  };

  const select = (nodes: readonly number[]) => {
    setSelected(nodes);
    const [only] = nodes;
    if (pathFrom !== null && nodes.length === 1 && only !== undefined && only !== pathFrom)
      mark(pathFrom, only);
  };

  const actsOf = (target: Pick<Target, "kind" | "id">): Act[] => {
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
      {
        ...{ id: "pin", label: isPinned([id]) ? "Unpin" : "Pin", icon: "pin", end: "i" },
        onAction: () => pin([id]),
      },
      {
        ...{ id: "similar", label: "Find similar…", icon: "search" },
        onAction: () => setSimilar({ id, label }),
      },
      { id: "ask", label: "Ask about this entity", icon: "ask", onAction: () => askAbout([id]) },
      { id: "copy", label: "Copy the name", icon: "copy", onAction: () => void copyText(label, "Name") },
      { id: "hide", label: "Hide", icon: "minus", end: "h", onAction: () => hide([id]) },
    ];
  };

  return {
    ...{ labelOf, expand, hide, pin, isPinned, askAbout, startPath, select, actsOf },
    ...{ hub, setHub, pathFrom, setPathFrom, similar, setSimilar },
  };
}
