// The compared runs, a row each: method, checkpoint, state, time, and how much was found.
import { Link } from "react-router";
import type { Run } from "@/api/types";
import { Fingerprint } from "@/components/kit/feedback";
import { useIsTrained } from "@/components/kit/useIsTrained";
import { integer, milliseconds } from "@/view/format";
import { settingsText } from "@/view/settingsForm";
import type { RunView } from "@/view/runView";
import { useMethodName } from "@/components/kit/useMethodName";
import { RunMark } from "./RunMark";

export interface Compared {
  run: Run;
  /** Its method, with the beginning of the checkpoint where another run has the same method. */
  name: string;
  view: RunView | null;
  /** In the drawing. */
  shown: boolean;
}

function State({ one }: { one: Compared }) {
  const { run, view } = one;
  const phase = view && view.phase !== "queued" ? view.phase : run.state;
  switch (phase) {
    case "done":
      return view?.noAnswer ? (
        <span className="badge warn" title={view.noAnswer.message}>
          no answer
        </span>
      ) : (
        <span className="badge good">done</span>
      );
    case "failed":
      return (
        <span className="badge bad" title={view?.failure?.message ?? run.error?.message}>
          failed
        </span>
      );
    case "cancelled":
      return <span className="badge warn">stopped</span>;
    case "paused":
      return (
        <span className="badge warn" title={view?.pause?.message}>
          paused
        </span>
      );
    case "running":
      return <span className="badge accent">running</span>;
    default:
      return <span className="badge">waiting</span>;
  }
}

function Settings({ run }: { run: Run }) {
  const text = settingsText(run.options);
  return text ? <div className="small muted wrap">{text}</div> : null;
}

function took({ run, view }: Compared): string {
  const ms = view?.tookMs ?? run.duration_ms;
  return ms === null ? "–" : milliseconds(ms);
}

export function RunsTable({ list }: { list: readonly Compared[] }) {
  const methodName = useMethodName();
  const isTrained = useIsTrained();
  return (
    <section className="panel" aria-labelledby="runs-title">
      <header className="panel-head">
        <h2 id="runs-title">Methods</h2>
        <span className="muted small tabular">{list.length}</span>
      </header>
      <div className="scroll-x">
        <table className="table dense">
          <thead>
            <tr>
              <th>Method</th>
              <th className="hide-narrow">Checkpoint</th>
              <th>State</th>
              <th className="num">Time</th>
              <th className="num hide-narrow">Paths</th>
              <th className="num">Answers</th>
            </tr>
          </thead>
          <tbody>
            {list.map((one, place) => (
              <tr key={one.run.id}>
                <td className="nowrap">
                  <RunMark place={place} />{" "}
                  <Link to={`/runs/${one.run.id}`} title="Open this run alone">
                    {methodName(one.run.method)}
                  </Link>
                  <Settings run={one.run} />
                </td>
                <td className="hide-narrow">
                  {one.view?.started ? (
                    one.view.started.checkpoint ? (
                      <Fingerprint value={one.view.started.checkpoint} />
                    ) : (
                      <span className="badge">
                        {isTrained(one.run.method) ? "untrained" : "needs no training"}
                      </span>
                    )
                  ) : (
                    <span className="muted">–</span>
                  )}
                </td>
                <td>
                  <State one={one} />
                </td>
                <td className="num">{took(one)}</td>
                <td className="num hide-narrow">{integer(one.view?.paths.length ?? 0)}</td>
                <td className="num">{integer(one.view?.answers.length ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.map(({ run, view }, place) =>
        view?.failure ? (
          <p key={run.id} className="small bad-text run-trouble">
            <RunMark place={place} /> {view.failure.message} {view.failure.hint}
          </p>
        ) : null,
      )}
    </section>
  );
}
