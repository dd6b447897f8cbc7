// One round of tests: which passed, which answers changed, and the facts that changed them.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { cancelJob, keys } from "@/api/queries";
import { useManagesGraph } from "@/api/rights";
import { acceptRound, roundQuery, type TestResult, type TestRoundDetail } from "@/api/tests";
import { Card } from "@/components/kit/Card";
import { Button } from "@/components/kit/controls";
import { Ago, Notice, Progress, QueryState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { useAct } from "@/components/kit/useAct";
import { useUrl } from "@/components/kit/url";
import { RoundState } from "@/components/tests/RoundList";
import { Changed, Labels, OutcomeBadge, Wrong } from "@/components/tests/TestWords";
import { isActive, useJobStore } from "@/store/jobStore";
import { milliseconds } from "@/view/format";
import { decisionText, figuresText, reasonText, testedText } from "@/view/tests";

function Result({ result }: { result: TestResult }) {
  return (
    <li className="test-result">
      <h3 className="break">
        <bdi>{result.question}</bdi>
      </h3>
      <div className="row wrap">
        <OutcomeBadge outcome={result.outcome} />
        {result.changed && <span className="badge accent">answer changed</span>}
        <span className="small muted tabular">{milliseconds(result.took_ms)}</span>
      </div>
      {result.outcome === "passed" && !result.changed && (
        <p className="small muted">
          <Labels labels={result.answers} />
        </p>
      )}
      <Wrong result={result} />
      <Changed result={result} />
    </li>
  );
}

function Decision({ round }: { round: TestRoundDetail }) {
  const managesGraph = useManagesGraph();
  const accept = useAct(() => acceptRound(round.id), {
    changes: [keys.graphs, keys.checkpoints],
    failed: true,
  });
  const said = decisionText(round);
  if (!said) return null;
  const held = round.decision === "held";
  return (
    <Notice
      tone={held ? "warn" : "info"}
      title={said}
      acts={
        held &&
        managesGraph(round.graph) && (
          <Button isDisabled={accept.isPending} onPress={() => accept.mutate()}>
            {round.cause === "promotion" ? "Promote it anyway" : "Make it current anyway"}
          </Button>
        )
      }
    >
      {held && reasonText(round)}
    </Notice>
  );
}

export function TestRoundPage() {
  const { id = "" } = useParams();
  const [params, put] = useUrl();
  const round = useQuery(roundQuery(id));
  // The job's own news come more often than the round's.
  const jobs = useJobStore((state) => state.jobs);
  const stop = useAct((job: number) => cancelJob(job), { changes: [keys.graphs], failed: true });
  if (!round.data) return <QueryState of={round} what="the tests" retry />;
  const { data } = round;
  const job = jobs.find((one) => one.id === data.job?.id) ?? data.job;
  const only = params.get("show");
  const shown = data.results.filter((one) =>
    only === "changed" ? one.changed : only === "failing" ? one.outcome !== "passed" : true,
  );
  const bad = data.results.filter((one) => one.outcome !== "passed").length;
  const changed = data.results.filter((one) => one.changed).length;
  const filters: [string | null, string][] = [
    [null, `All ${data.results.length}`],
    ["failing", `Not passed ${bad}`],
    ["changed", `Changed ${changed}`],
  ];
  return (
    <Page
      title={`Tests of ${testedText(data)}`}
      within={[`Tests of ${data.graph_name}`, `/graphs/${data.graph}/tests`]}
      beside={<RoundState round={data} />}
      acts={
        job &&
        isActive(job) && (
          <Button icon="stop" isDisabled={stop.isPending} onPress={() => stop.mutate(job.id)}>
            Stop
          </Button>
        )
      }
    >
      <p className="muted">
        {data.finished_at ? figuresText(data) : `${data.results.length} of ${data.tests} asked`}
        {data.before !== null && data.before !== data.version && `, compared with version ${data.before}`}
        {". Begun "}
        <Ago iso={data.created_at} />
        {data.created_by && ` by ${data.created_by}`}.
      </p>
      {job && isActive(job) && <Progress label="Asking the tests" share={job.overall} />}
      {job?.error && (
        <Notice tone="bad" title={job.error.message}>
          {job.error.hint}
        </Notice>
      )}
      <Decision round={data} />
      <Card
        title="Results"
        acts={filters.map(([name, label]) => (
          <Button
            key={label}
            size="small"
            look={only === name ? undefined : "plain"}
            aria-pressed={only === name}
            onPress={() => put({ show: name })}
          >
            {label}
          </Button>
        ))}
        wrap
      >
        {shown.length ? (
          <ul className="body test-results">
            {shown.map((result) => (
              <Result key={result.test} result={result} />
            ))}
          </ul>
        ) : (
          <p className="body muted">
            {data.results.length ? "None." : "The first answers come in a moment."}
          </p>
        )}
      </Card>
    </Page>
  );
}
