// The rounds in which a graph's tests were asked, the latest first.
import { Link } from "react-router";
import type { TestRound } from "@/api/tests";
import { Ago, JobBadge } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { decisionText, figuresText, testedText, violationsText } from "@/view/tests";

const CAUSES: Record<TestRound["cause"], string> = {
  asked: "run by hand",
  version: "before it became current",
  promotion: "before it was promoted",
  history: "to see how an answer came to be",
};

export function RoundState({ round }: { round: TestRound }) {
  const { job, figures, finished_at } = round;
  if (!finished_at) return job ? <JobBadge state={job.state} /> : <span className="badge">never ended</span>;
  const bad = figures.failed + figures.error;
  return <span className={`badge ${bad ? "bad" : "good"}`}>{bad ? `${bad} not passed` : "all passed"}</span>;
}

export function RoundList({ rounds }: { rounds: readonly TestRound[] }) {
  return (
    <ResourceTable heads={[["Tested"], ["Result"], ["Outcome", "hide-narrow"], ["When", "hide-narrow"]]}>
      {rounds.map((round) => (
        <tr key={round.id}>
          <td>
            <Link to={`/test-rounds/${round.id}`}>{testedText(round)}</Link>
            <div className="small muted">{CAUSES[round.cause]}</div>
          </td>
          <td>
            <RoundState round={round} />
            {round.finished_at && (
              <div className="small muted">
                {[figuresText(round), violationsText(round)].filter(Boolean).join("; ")}
              </div>
            )}
          </td>
          <td className="hide-narrow">{decisionText(round) || <span className="muted">–</span>}</td>
          <td className="muted nowrap hide-narrow">
            <Ago iso={round.created_at} />
            {round.created_by && <div className="small">{round.created_by}</div>}
          </td>
        </tr>
      ))}
    </ResourceTable>
  );
}
