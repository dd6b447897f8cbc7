// Answers of several graphs put together: said in words, and as one drawing with a stroke for each graph.
import type { Across, AcrossAnswer, AskedGraph } from "@/api/across";
import { count } from "./format";
import { factOfHop, type Fact } from "./runEntities";
import { edgeOf, strokesOf } from "./graphEdges";
import type { GraphModel, GraphNode } from "./graphModel";

/** What to call a graph whose name may not be seen. */
export function graphName({ name, state }: Pick<AskedGraph, "name" | "state">): string {
  return name || (state === "deleted" ? "A deleted graph" : "A graph that you cannot see");
}

/** How the graphs agree, in a sentence; "" before there is anything to say. */
export function agreement({ graphs, answers, going }: Across): string {
  const done = graphs.filter((one) => one.state === "done").length;
  if (!done) return going ? "" : "No graph gave an answer.";
  if (!answers.length)
    return going ? "" : done === 1 ? "It has no answer." : "None of the graphs has an answer.";
  if (done < 2) return going ? "" : `${count(answers.length, "answer")}, from one graph.`;
  const shared = answers.filter((one) => one.members.length > 1).length;
  const alone = graphs
    .map((graph, place) => ({
      name: graphName(graph),
      only: answers.filter((one) => one.members.length === 1 && one.members[0]?.place === place).length,
    }))
    .filter((one) => one.only > 0)
    .map((one) => `${one.only} only in ${one.name}`);
  const parts = [
    ...(shared ? [`${shared} in ${done === 2 ? "both graphs" : "several graphs"}`] : []),
    ...alone,
  ];
  return `${count(answers.length, "answer")}: ${parts.join(", ")}.`;
}

/** The evidence of some answers as one drawing. What has one name, or was joined, is one entity in it. */
export function acrossGraph(answers: readonly AcrossAnswer[]): GraphModel {
  const ids = new Map<string, number>();
  const nodes = new Map<number, GraphNode>();
  const edges = new Map<string, { fact: Fact; places: Set<number> }>();
  const spelt = (label: string) => label.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ");
  const joined = new Map<string, string>();
  for (const answer of answers) {
    for (const { place, entity } of answer.members)
      if (entity !== null) joined.set(`${place} ${entity}`, answer.label);
  }
  const place = (at: number, node: Fact["head"]): Fact["head"] => {
    const label = joined.get(`${at} ${node.id}`) ?? node.label;
    const key = spelt(label);
    const id = ids.get(key) ?? ids.size + 1;
    ids.set(key, id);
    if (!nodes.has(id)) {
      nodes.set(id, {
        ...{ id, label, kind: node.kind, role: "path", depth: 0, degree: 0, here: false, dim: false },
      });
    }
    return { ...node, id, label };
  };
  for (const { members } of answers) {
    for (const member of members) {
      for (const hop of member.facts) {
        const own = factOfHop(hop);
        const [head, tail] = [place(member.place, own.head), place(member.place, own.tail)];
        const key = `${head.id}|${own.label}|${tail.id}`;
        const known = edges.get(key) ?? { fact: { ...own, head, tail, key }, places: new Set<number>() };
        known.places.add(member.place);
        edges.set(key, known);
      }
      const id = ids.get(spelt(joined.get(`${member.place} ${member.entity ?? -1}`) ?? member.label));
      const node = id === undefined ? undefined : nodes.get(id);
      if (node) node.role = "answer";
    }
  }
  // From what is no answer, along the facts: left to right as paths are read.
  const near = (id: number) =>
    [...edges.values()].flatMap(({ fact }) =>
      fact.head.id === id ? [fact.tail.id] : fact.tail.id === id ? [fact.head.id] : [],
    );
  const starts = new Set(
    answers.flatMap(({ members }) =>
      members.flatMap(({ place: at, facts }) => (facts[0] ? [place(at, facts[0].source).id] : [])),
    ),
  );
  const depth = new Map<number, number>();
  let front = [...starts];
  for (let hops = 0; front.length; hops += 1) {
    for (const id of front) depth.set(id, hops);
    front = [...new Set(front.flatMap(near))].filter((id) => !depth.has(id));
  }
  for (const node of nodes.values()) {
    node.depth = depth.get(node.id) ?? 0;
    node.degree = near(node.id).length;
    if (starts.has(node.id) && node.role !== "answer") node.role = "topic";
  }
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()].flatMap(({ fact, places }) => strokesOf(edgeOf(fact), [...places].sort())),
    ...{ total: nodes.size, hidden: 0, explored: 0, settled: true },
  };
}
