// The state of the graph view: what was explored by hand, filters, selection, and the model they make.
import { useMemo, useReducer, useState } from "react";
import { explore, nothingExplored } from "@/store/explore";
import { NODE_LIMIT, buildGraph, lightNodes, type GraphOptions } from "@/store/graphModel";
import { isOver, type RunView } from "@/store/runView";

interface Shown {
  chain: number | null;
  lit?: readonly string[] | undefined;
  litNodes?: readonly number[] | undefined;
  walkedBy?: GraphOptions["walkedBy"] | undefined;
}

export function useGraphView(view: RunView, { chain, lit, litNodes, walkedBy }: Shown) {
  const [hand, dispatch] = useReducer(explore, nothingExplored);
  const [limit, setLimit] = useState(NODE_LIMIT);
  const [only, setOnly] = useState<GraphOptions["only"]>("all");
  const [relations, setRelations] = useState<ReadonlySet<string>>(new Set());
  const [looked, setLooked] = useState(false);
  const [selected, setSelected] = useState<readonly number[]>([]);
  // While an agent searches one wants to see where it looks; afterwards what it kept.
  const over = isOver(view.phase);
  const drawn = useMemo(
    () =>
      buildGraph(view, hand, {
        chain,
        limit,
        only,
        relations,
        kept: over && !looked,
        ...(lit && { lit }),
        ...(walkedBy && { walkedBy }),
      }),
    [view, hand, chain, limit, only, relations, over, looked, lit, walkedBy],
  );
  const model = useMemo(() => (litNodes ? lightNodes(drawn, litNodes) : drawn), [drawn, litNodes]);
  const known = useMemo(() => {
    const facts = [...view.facts.values(), ...hand.added.values()];
    const labels = new Map(facts.map((fact) => [fact.relation, fact.label]));
    return [...labels].sort(([, a], [, b]) => a.localeCompare(b));
  }, [view.facts, hand.added]);
  return {
    hand,
    dispatch,
    limit,
    setLimit,
    only,
    setOnly,
    relations,
    setRelations,
    over,
    looked,
    setLooked,
    selected,
    setSelected,
    model,
    known,
  };
}

export type GraphState = ReturnType<typeof useGraphView>;
