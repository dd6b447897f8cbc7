// One question over the versions of its graph: what it was answered, and which facts made the difference.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { cancelJob, keys } from "@/api/queries";
import { askThroughTime, historyQuery, seenWatch, stopWatching } from "@/api/tests";
import { Card } from "@/components/kit/Card";
import { Button } from "@/components/kit/controls";
import { Notice, Progress, QueryState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { useAct } from "@/components/kit/useAct";
import { Moments } from "@/components/tests/Moments";
import { count, elide } from "@/view/format";
import { isActive, useJobStore } from "@/store/jobStore";
import { toast } from "@/store/toasts";

export function AnswerHistoryPage() {
  const { id = "" } = useParams();
  const navigate = useNavigate();
  const history = useQuery(historyQuery(id));
  const jobs = useJobStore((state) => state.jobs);
  const ask = useAct(() => askThroughTime(id), { changes: [keys.graphs], failed: true, job: (job) => job });
  const stop = useAct((job: number) => cancelJob(job), { changes: [keys.graphs], failed: true });
  const seen = useAct(() => seenWatch(id), { changes: [keys.graphs] });
  const leave = useAct(() => stopWatching(id), {
    changes: [keys.graphs],
    failed: true,
    done: () => {
      toast("You no longer watch this question.");
      void navigate("/watched");
    },
  });
  const unread = history.data?.mine === true && history.data.test.unread;
  const look = seen.mutate;
  useEffect(() => {
    if (unread) look();
  }, [unread, look]);
  if (!history.data) return <QueryState of={history} what="the answers" retry />;
  const { test, mine, moments } = history.data;
  const job = jobs.find((one) => one.id === history.data.job?.id) ?? history.data.job;
  const open = moments.filter((one) => one.answers === null).length;
  const changes = moments.filter((one) => one.changed).length;
  return (
    <Page
      title={elide(test.question, 60)}
      heading={<bdi className="break">{test.question}</bdi>}
      within={
        mine
          ? ["Watched questions", "/watched"]
          : [`Tests of ${test.graph_name}`, `/graphs/${test.graph}/tests`]
      }
      acts={
        <>
          {mine && (
            <Button look="plain" isDisabled={leave.isPending} onPress={() => leave.mutate()}>
              Stop watching
            </Button>
          )}
          {open === 0 && (
            <Link className="btn primary" to={`/?graph=${test.graph}&q=${encodeURIComponent(test.question)}`}>
              Ask it now
            </Link>
          )}
        </>
      }
    >
      <p className="muted">
        Answers through time, on{" "}
        <Link to={`/graphs/${test.graph}`}>
          <bdi>{test.graph_name}</bdi>
        </Link>
        : {count(moments.length, "version")}, {changes ? count(changes, "change") : "no change"}
        {open > 0 && `, ${open} not asked`}.
      </p>
      {job && isActive(job) ? (
        <div className="row">
          <Progress label="Asking the versions" share={job.overall} />
          <Button icon="stop" isDisabled={stop.isPending} onPress={() => stop.mutate(job.id)}>
            Stop
          </Button>
        </div>
      ) : (
        open > 0 && (
          <Notice
            tone="info"
            title={
              open === 1 ? "One version has not been asked yet" : `${open} versions have not been asked yet`
            }
            acts={
              <Button isDisabled={ask.isPending} onPress={() => ask.mutate()}>
                Ask {open === 1 ? "it" : "them"}
              </Button>
            }
          />
        )
      )}
      <Card title="Versions" count={moments.length}>
        <div className="body">
          <Moments moments={moments} />
        </div>
      </Card>
    </Page>
  );
}
