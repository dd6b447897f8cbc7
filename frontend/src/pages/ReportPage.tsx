// One evaluation report: the figures, where they come from, and each question that went wrong.
import { Unseen } from "@/components/kit/Unseen";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { keys, reportQuery, downloadReport, resumeReport, sessionQuery, statusQuery } from "@/api/queries";
import { useMayManage } from "@/api/rights";
import type { ReportDetail } from "@/api/reportTypes";
import { Breakdowns } from "@/components/experiments/Breakdowns";
import { JudgedCard } from "@/components/experiments/JudgedCard";
import { Manifest } from "@/components/experiments/Manifest";
import { MetricsCard } from "@/components/experiments/MetricsCard";
import { QuestionRows } from "@/components/experiments/QuestionRows";
import { RiskCard } from "@/components/experiments/RiskCard";
import { DeleteMade } from "@/components/graphs/DeleteMade";
import { ActMenu, Button } from "@/components/kit/controls";
import { useTitle } from "@/components/kit/hooks";
import { Ago, ErrorNotice, Fingerprint, JobBadge, Loading, Notice } from "@/components/kit/feedback";
import { JobRow } from "@/components/shell/JobsTray";
import { copyText, fileName, saveFile } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { useUrl } from "@/components/kit/url";
import { integer, milliseconds } from "@/view/format";
import { isActive, useJobStore } from "@/store/jobStore";
import { useMethodName } from "@/components/kit/useMethodName";

const FORMATS = {
  json: "JSON, with every question",
  csv: "CSV, the figures by group",
  md: "Markdown",
  html: "HTML",
} as const;

/** Until it is done: what goes on, or what happened and how to go on. */
function Unfinished({ report, mayWrite }: { report: ReportDetail; mayWrite: boolean }) {
  const { data: status } = useQuery(statusQuery);
  const job = useJobStore((state) => state.jobs.find((one) => String(one.id) === String(report.job)));
  const resume = useAct(() => resumeReport(report.id), {
    changes: [keys.reports],
    job: ({ job: next }) => next,
  });
  if (isActive(report)) {
    return (
      <section className="card" aria-label="Progress">
        <ul className="body">
          {job ? <JobRow job={job} workers={status?.workers.jobs} /> : <Loading what="the job" />}
        </ul>
        <p className="body muted">
          The figures appear here when every question has been asked. You can leave this page; the jobs tray
          shows how far it is.
        </p>
      </section>
    );
  }
  return (
    <>
      <Notice
        tone={report.state === "failed" ? "bad" : "warn"}
        title={report.error?.message ?? "This evaluation was stopped"}
        acts={
          mayWrite && (
            <Button icon="retry" isDisabled={resume.isPending} onPress={() => resume.mutate()}>
              Go on
            </Button>
          )
        }
      >
        {report.error?.hint} Questions that were asked are kept and are not asked again.
      </Notice>
      {resume.error && <ErrorNotice error={resume.error} />}
    </>
  );
}

function Counts({ report }: { report: ReportDetail }) {
  const { n, latency_ms: latency, retrieval_ms: retrieval, usage } = report;
  const cells: [string, string, string | undefined][] = [
    [
      "questions",
      n === null ? "–" : integer(n),
      report.limit === null ? undefined : `at most ${report.limit}, drawn by the seed`,
    ],
    ["retrieval p50", retrieval ? milliseconds(retrieval.p50) : "–", "Retrieval alone: half took no longer"],
    ["latency p50", latency ? milliseconds(latency.p50) : "–", "Half of the questions took no longer"],
    ["latency p95", latency ? milliseconds(latency.p95) : "–", "19 of 20 questions took no longer"],
    ["LLM calls", integer(usage?.llm_calls ?? 0), undefined],
    ["tokens", integer(usage?.tokens ?? 0), undefined],
  ];
  return (
    <dl className="counts">
      {cells.map(([name, value, title]) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Head({ report, onDelete }: { report: ReportDetail; onDelete: (() => void) | undefined }) {
  const done = report.state === "done";
  const methodName = useMethodName();
  return (
    <div className="page-head">
      <h1>
        {methodName(report.method)} on <bdi>{report.question_set_name}</bdi>, {report.split}
      </h1>
      {!done && <JobBadge state={report.state} />}
      <span className="grow" />
      {onDelete && <Button look="plain" icon="trash" label="Delete" onPress={onDelete} />}
      {done && (
        <>
          <ActMenu
            label="Download the report"
            trigger={<Button icon="download">Download</Button>}
            acts={[
              ...(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => ({
                id: format,
                label: FORMATS[format],
                onAction: () =>
                  void saveFile(
                    fileName(
                      `${methodName(report.method)} ${report.question_set_name} ${report.split}`,
                      format,
                    ),
                    downloadReport(report.id, format),
                    "The report",
                  ),
              })),
              {
                id: "link",
                label: "Copy the link",
                onAction: () => void copyText(window.location.href, "Link"),
              },
            ]}
          />
          <Link
            className="btn"
            to={`/experiments?graph=${report.graph}&split=${report.split}${
              report.question_set === null ? "" : `&set=${report.question_set}`
            }&pick=${report.id}`}
          >
            Compare with…
          </Link>
        </>
      )}
    </div>
  );
}

export function ReportPage() {
  const { id = "" } = useParams();
  const [params] = useUrl();
  const study = params.get("study");
  const asked = useQuery(reportQuery(id));
  const { data: report } = asked;
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const methodName = useMethodName();
  useTitle(report ? `${methodName(report.method)} on ${report.question_set_name}` : "Report");
  const mayManage = useMayManage();
  const mayWrite =
    session?.user?.role !== "viewer" && report !== undefined && mayManage(report.created_by, report.graph);
  if (asked.error || !report) {
    return <Unseen of={asked} what="report" instead={["All reports", "/experiments"]} />;
  }
  return (
    <div className="page">
      <p className="crumb small">
        {study === null ? (
          <Link to="/experiments">Experiments</Link>
        ) : (
          <Link to={`/studies/${study}`}>The study</Link>
        )}{" "}
        <span className="muted">/</span>
      </p>
      <Head
        report={report}
        onDelete={
          mayWrite && !isActive(report)
            ? () => {
                setDeleting(true);
              }
            : undefined
        }
      />
      <p className="muted">
        {report.fingerprint ? (
          <>
            Checkpoint <Fingerprint value={report.fingerprint} />
            {report.checkpoint === null &&
              (report.manifest.cross_dataset === true ? " (of another graph)" : " (deleted)")}
          </>
        ) : (
          "Untrained: no checkpoint"
        )}
        {" · "}
        <Link to={`/graphs/${report.graph}`}>
          <bdi>{report.graph_name}</bdi>
        </Link>
        , snapshot <Fingerprint value={report.snapshot} /> · topics{" "}
        {report.topics === "given" ? "as the question set names them" : "found by the linker"}
        {report.subgraphs === "whole" && " · whole graph"}
        {report.answers === "in-graph" && " · questions with an answer in the graph"}
        {report.foreign === "ask" && " · the checkpoint asked whatever relations the graph has"} ·{" "}
        {report.reasoner} reasoner · budget {report.budget} · seed {report.seed} ·{" "}
        <Ago iso={report.created_at} />
        {report.created_by && ` by ${report.created_by}`}
      </p>
      {report.state === "done" ? (
        <>
          <Counts report={report} />
          <MetricsCard report={report} />
          {report.risk && (
            <RiskCard all={[{ label: "answers", risk: report.risk }]} guarantee={report.guarantee} />
          )}
          {report.judged && <JudgedCard judged={report.judged} />}
          <Breakdowns report={report} />
          <QuestionRows report={report} />
          <Manifest report={report} />
        </>
      ) : (
        <Unfinished report={report} mayWrite={mayWrite} />
      )}
      <DeleteMade
        kind="reports"
        id={report.id}
        name={`${methodName(report.method)} on ${report.question_set_name} (${report.split})`}
        isOpen={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate("/experiments")}
      >
        Its figures and its questions will be deleted. The question set and the checkpoint stay.
      </DeleteMade>
    </div>
  );
}
