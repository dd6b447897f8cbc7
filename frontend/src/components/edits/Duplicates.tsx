// Entities that may be in a graph twice, side by side, to be merged or kept apart.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { duplicatesQuery, markDistinct, type Duplicate, type Operation } from "@/api/edits";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { count, elide, percent } from "@/view/format";

const SHOWN = 5;

interface PairProps {
  graph: Graph;
  pair: Duplicate;
  mayChange: boolean;
  onMerge: (operation: Operation) => void;
}

function Pair({ graph, pair, mayChange, onMerge }: PairProps) {
  const { first, second, score, comparisons } = pair;
  const [kept, other] = first.degree >= second.degree ? [first, second] : [second, first];
  const dismiss = useAct(() => markDistinct(graph.id, first.label, second.label), {
    changes: [[...keys.graphs, String(graph.id), "duplicates"]],
    failed: true,
  });
  return (
    <li className="duplicate">
      <div className="scroll-x">
        <table className="table compact">
          <thead>
            <tr>
              <th>
                <span className="sr-only">Relation</span>
              </th>
              {[first, second].map((node) => (
                <th key={node.id}>
                  <bdi>{node.label}</bdi> <span className="muted small">{count(node.degree, "fact")}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {comparisons.slice(0, SHOWN).map((row) => (
              <tr key={`${row.relation} ${row.inverse}`}>
                <th scope="row" className="muted">
                  {row.inverse ? "← " : ""}
                  {row.relation}
                </th>
                <td className={row.outcome}>{elide(row.first, 80)}</td>
                <td className={row.outcome}>{elide(row.second, 80)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="row wrap">
        <span className="muted small grow">{percent(score)} likely the same</span>
        {mayChange && (
          <>
            <Button
              size="small"
              onPress={() => onMerge({ op: "merge_entities", entity: kept.label, other: other.label })}
            >
              Merge…
            </Button>
            <Button
              size="small"
              aria-label={`${first.label} and ${second.label} are not the same`}
              isDisabled={dismiss.isPending}
              onPress={() => dismiss.mutate()}
            >
              Not the same
            </Button>
          </>
        )}
      </p>
    </li>
  );
}

type Props = Omit<PairProps, "pair">;

export function Duplicates({ graph, ...rest }: Props) {
  const [limit, setLimit] = useState(SHOWN);
  const { data, error } = useQuery(duplicatesQuery(graph.id, graph.snapshot?.hash ?? ""));
  return (
    <section className="stack" aria-label="Suggested duplicates">
      <h3>Suggested duplicates</h3>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="duplicates" />}
      {data?.length === 0 && <p className="muted">No two entities of one kind look like the same thing.</p>}
      {data && data.length > 0 && (
        <ul className="duplicates">
          {data.slice(0, limit).map((pair) => (
            <Pair key={`${pair.first.id} ${pair.second.id}`} graph={graph} pair={pair} {...rest} />
          ))}
        </ul>
      )}
      {data && data.length > limit && (
        <p>
          <Button size="small" look="link" onPress={() => setLimit(limit + 2 * SHOWN)}>
            {count(data.length - limit, "more pair")}
          </Button>
        </p>
      )}
    </section>
  );
}
