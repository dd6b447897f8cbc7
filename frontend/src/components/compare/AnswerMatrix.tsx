// Every answer in a row, every method in a column: who says what, and how surely.
import { useState } from "react";
import { Button } from "@/components/kit/controls";
import { confidence, score } from "@/view/format";
import { answerRows } from "@/view/overlay";
import { isOver } from "@/view/runView";
import { RunMark } from "./RunMark";
import type { Compared } from "./RunsTable";

const FIRST = 15;

export function AnswerMatrix({
  list,
  onFind,
}: {
  list: readonly Compared[];
  onFind: (entity: number) => void;
}) {
  const [all, setAll] = useState(false);
  const rows = answerRows(list.map((one) => one.view));
  const over = list.every((one) => one.view && isOver(one.view.phase));
  const stopped = list.some((one) => one.view?.phase === "cancelled");
  const agreed = rows.filter((row) => row.given.every((answer) => answer !== null)).length;
  return (
    <section className="panel" aria-labelledby="matrix-title">
      <header className="panel-head">
        <h2 id="matrix-title">Answers</h2>
        <span className="muted small tabular">
          {rows.length > 0 && `${rows.length}, ${agreed} of them by all`}
        </span>
      </header>
      {rows.length === 0 ? (
        <p className="muted">
          {!over
            ? "Answers appear here as they are found."
            : stopped
              ? "No method had answered when it was stopped."
              : "No method found an answer."}
        </p>
      ) : (
        <div className="scroll-x">
          <table className="table dense">
            <thead>
              <tr>
                <th>Answer</th>
                {list.map((one, place) => (
                  <th key={one.run.id} className="num">
                    <RunMark place={place} />
                    <span className="matrix-method">
                      <bdi>{one.name}</bdi>
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(all ? rows : rows.slice(0, FIRST)).map((row) => (
                <tr key={row.key}>
                  <td>
                    {row.entity === null ? (
                      row.label
                    ) : (
                      <button
                        type="button"
                        className="link strong"
                        title={`Show ${row.label} in the graph`}
                        onClick={() => {
                          if (row.entity !== null) onFind(row.entity);
                        }}
                      >
                        <bdi>{row.label}</bdi>
                      </button>
                    )}
                  </td>
                  {row.given.map((answer, place) => (
                    <td key={list[place]?.run.id} className="num">
                      {answer ? (
                        <span
                          title={
                            answer.guess
                              ? "Confidence: guess"
                              : `Confidence: ${confidence(answer.score)} · ${answer.verified ? "facts in graph" : "facts not in graph"}`
                          }
                        >
                          {answer.guess ? (
                            <span className="muted">guess </span>
                          ) : (
                            !answer.verified && <span className="bad-text">? </span>
                          )}
                          {score(answer.score)}
                        </span>
                      ) : (
                        <span className="muted" title="Not among its answers">
                          –
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > FIRST && (
        <Button look="plain" size="small" onPress={() => setAll(!all)}>
          {all ? `Show the first ${FIRST}` : `Show all ${rows.length}`}
        </Button>
      )}
    </section>
  );
}
