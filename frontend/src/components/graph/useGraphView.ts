// The state of the graph view: what was explored by hand, filters, selection, and the model they make.
import { useMemo, useReducer, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Node } from "@/api/events";
import { pictureQuery } from "@/api/explore";
import type { Id } from "@/api/types";
import { explore, nothingExplored } from "@/view/explore";
import { NODE_LIMIT, buildGraph, lightNodes, type GraphOptions } from "@/view/graphModel";
import { withKinds } from "@/view/kinds";
import { isOver, type RunView } from "@/view/runView";

interface Shown {
  chain: number | null;
  lit?: readonly string[] | undefined;
  litNodes?: readonly Node[] | undefined;
  node: number | null;
  walkedBy?: GraphOptions["walkedBy"] | undefined;
}

/** What is pointed at from outside: what a step kept, and an entity of a program that no evidence is about. */
function besides({ program }: RunView, litNodes: readonly Node[] = [], node: number | null): readonly Node[] {
  const told = [
    ...(program?.ranked ?? []).map((one) => one.node),
    ...(program?.steps ?? []).flatMap((step) => step.nodes),
  ];
  const looked = told.find((one) => one.id === node);
  return looked ? [...litNodes, looked] : litNodes;
}

/** More entities than these have no kinds in the drawing. */
const KINDS_MAX = 500;

export function useGraphView(graph: Id, view: RunView, { chain, lit, litNodes, node, walkedBy }: Shown) {
  const [hand, dispatch] = useReducer(explore, nothingExplored);
  const [limit, setLimit] = useState(NODE_LIMIT);
  // In a comparison one wants to see who walked where; else the evidence, with the rest a press away.
  const first: GraphOptions["only"] = walkedBy ? "all" : "evidence";
  const [only, setOnly] = useState<GraphOptions["only"]>(first);
  const [relations, setRelations] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<readonly number[]>([]);
  // While a search goes on one wants to see where it looks.
  const over = isOver(view.phase);
  const drawn = useMemo(
    () =>
      buildGraph(view, hand, {
        chain,
        limit,
        only: over || only !== "evidence" ? only : "all",
        relations,
        node,
        ...(lit && { lit }),
        also: besides(view, litNodes, node),
        ...(walkedBy && { walkedBy }),
      }),
    [view, hand, chain, limit, only, relations, over, lit, litNodes, node, walkedBy],
  );
  // What kinds they are of is asked once nothing more comes by itself. An endpoint would be asked again for each.
  const wanted = drawn.nodes.map(({ id }) => id).sort((a, b) => a - b);
  const asks = drawn.settled && !view.started?.endpoint && wanted.length <= KINDS_MAX;
  const picture = useQuery(pictureQuery(graph, view.started?.snapshot ?? null, asks ? wanted : []));
  const told = asks ? picture.data : undefined;
  const kinds = useMemo(() => withKinds(drawn, told), [drawn, told]);
  const model = useMemo(
    () =>
      litNodes
        ? lightNodes(
            kinds,
            litNodes.map((one) => one.id),
          )
        : kinds,
    [kinds, litNodes],
  );
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
    isFiltered: relations.size > 0 || only === "verified",
    clearFilter: () => {
      setOnly(first);
      setRelations(new Set());
    },
    relations,
    setRelations,
    over,
    selected,
    setSelected,
    model,
    known,
  };
}

export type GraphState = ReturnType<typeof useGraphView>;
