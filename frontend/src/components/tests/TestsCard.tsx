// The tests of a graph on its own page: how many there are, how the last round went, and what it holds back.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { useManagesGraph } from "@/api/rights";
import { roundsQuery, testsQuery } from "@/api/tests";
import type { Graph } from "@/api/types";
import { Card } from "@/components/kit/Card";
import { Ago, Notice } from "@/components/kit/feedback";
import { isActive } from "@/store/jobStore";
import { decisionText, figuresText, testedText, violationsText } from "@/view/tests";
import { RoundState } from "./RoundList";

/** Said at the top of a graph's page: a version is being tested, or tests hold it back. */
export function TestNotice({ graph }: { graph: Graph }) {
  const rounds = useQuery(roundsQuery(graph.id)).data?.results ?? [];
  const last = rounds.find((round) => round.cause === "version");
  if (!last) return null;
  const see = <Link to={`/test-rounds/${last.id}`}>See what changed</Link>;
  if (last.decision === "held") {
    return (
      <Notice tone="warn" title={decisionText(last)} acts={see}>
        Tests: {figuresText(last)}. {last.violations > 0 && `Shapes: ${violationsText(last)}. `}Version{" "}
        {graph.snapshot?.version} is asked until somebody decides.
      </Notice>
    );
  }
  if (last.job && isActive(last.job)) {
    return (
      <Notice tone="info" title={`Version ${last.version} is being tested`} acts={see}>
        Version {graph.snapshot?.version} is asked until that is done.
      </Notice>
    );
  }
  return null;
}

export function TestsCard({ graph }: { graph: Graph }) {
  const tests = useQuery(testsQuery(graph.id)).data;
  const last = useQuery(roundsQuery(graph.id)).data?.results[0];
  const managesGraph = useManagesGraph()(graph.id);
  return (
    <Card
      title="Tests"
      id="tests"
      count={tests?.tests.length}
      acts={
        <Link className="btn small" to={`/graphs/${graph.id}/tests`}>
          {tests?.tests.length || !managesGraph ? "Open the tests" : "Add tests"}
        </Link>
      }
    >
      <div className="body">
        {tests?.tests.length === 0 && (
          <p className="muted">
            Questions with the answers that they must have. They are asked before a new version or a promoted
            checkpoint becomes current, and say which facts changed an answer. Keep any answer as a test from
            its page.
          </p>
        )}
        {last && (
          <p>
            <RoundState round={last} />{" "}
            <Link to={`/test-rounds/${last.id}`}>
              {testedText(last)}
              {last.finished_at && `: ${figuresText(last)}`}
            </Link>{" "}
            <span className="muted">
              <Ago iso={last.created_at} />
            </span>
          </p>
        )}
        {tests && tests.tests.length > 0 && !last && <p className="muted">They have not been asked yet.</p>}
      </div>
    </Card>
  );
}
