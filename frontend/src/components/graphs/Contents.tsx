// What is in a graph, told to somebody who is about to ask it.
import { useQuery } from "@tanstack/react-query";
import { schemaQuery } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { contentsOf } from "@/view/contents";
import { integer } from "@/view/format";
import "./contents.css";

export function Contents({ graph }: { graph: Graph }) {
  const hash = graph.snapshot?.hash ?? "";
  // Of a large graph the schema is counted while it is indexed; nobody waits for it here.
  const { data } = useQuery({
    ...schemaQuery(graph.id, hash),
    enabled: hash !== "" && graph.index_state === "ready",
  });
  const contents = data ? contentsOf(data) : [];
  if (!contents.length) return null;
  return (
    <>
      <h2>What is in it</h2>
      <dl className="contents">
        {contents.map(({ kind, count, relations, more }) => (
          <div key={kind}>
            <dt>
              <bdi>{kind}</bdi> <span className="muted tabular">{integer(count)}</span>
            </dt>
            <dd>
              <bdi>{relations.join(", ")}</bdi>
              {more > 0 && ` and ${more} more`}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
