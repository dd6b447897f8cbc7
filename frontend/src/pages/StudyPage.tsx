// One study: how far it is, what its finished cells say, and every cell.
import { Unseen } from "@/components/kit/Unseen";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { sessionQuery, statusQuery } from "@/api/queries";
import { useMayManage } from "@/api/rights";
import {
  downloadCapsule,
  downloadStudy,
  presetsQuery,
  resumeStudy,
  studyKeys,
  studyQuery,
  type StudyDetail,
} from "@/api/studies";
import { DeleteMade } from "@/components/graphs/DeleteMade";
import { Card } from "@/components/kit/Card";
import { ActMenu, Button } from "@/components/kit/controls";
import { Ago, ErrorNotice, JobBadge, Loading, Notice } from "@/components/kit/feedback";
import { FactList } from "@/components/kit/FactList";
import { Page } from "@/components/kit/Page";
import { fileName, saveFile } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { JobRow } from "@/components/shell/JobsTray";
import { CellsCard } from "@/components/studies/CellsCard";
import { Plots } from "@/components/studies/Plots";
import { ResultsCard } from "@/components/studies/ResultsCard";
import { bytes, count } from "@/view/format";
import { isActive, useJobStore } from "@/store/jobStore";

const FORMATS = {
  latex: ["LaTeX table", "tex"],
  md: ["Markdown table", "md"],
  csv: ["CSV, every figure with its interval", "csv"],
} as const;

/** The job that does it, as far as this page has heard. */
function useJob(study: StudyDetail | undefined) {
  return useJobStore((state) => state.jobs.find((one) => String(one.id) === String(study?.job)));
}

/** Until it is done: what goes on, or what happened and how to go on. */
function Unfinished({ study, mayWrite }: { study: StudyDetail; mayWrite: boolean }) {
  const { data: status } = useQuery(statusQuery);
  const job = useJob(study);
  const resume = useAct(() => resumeStudy(study.id), {
    changes: [studyKeys.studies],
    job: ({ job: next }) => next,
  });
  if (isActive(study)) {
    return (
      <section className="card" aria-label="Progress">
        <ul className="body">
          {job ? <JobRow job={job} workers={status?.workers.jobs} /> : <Loading what="the job" />}
        </ul>
        <p className="body muted">
          Finished cells appear here as they come. You can leave this page, and stop at any time: what is done
          is kept, and the study goes on from there.
        </p>
      </section>
    );
  }
  const { failed, done, all } = study.counts;
  if (done === all) return null;
  const title =
    study.state === "done"
      ? `${count(failed, "cell")} could not be done`
      : (study.error?.message ?? "This study was stopped");
  return (
    <>
      <Notice
        tone={study.state === "cancelled" ? "warn" : "bad"}
        title={title}
        acts={
          mayWrite && (
            <Button icon="retry" isDisabled={resume.isPending} onPress={() => resume.mutate()}>
              {study.state === "done" ? "Try them again" : "Go on"}
            </Button>
          )
        }
      >
        {study.error?.hint} {count(done, "finished cell")} of {all} {done === 1 ? "is" : "are"} kept and not
        done again.
      </Notice>
      {resume.error && <ErrorNotice error={resume.error} />}
    </>
  );
}

function Plan({ study }: { study: StudyDetail }) {
  const { variants, ...rest } = study.plan;
  return (
    <Card title="Plan" beside={<span className="muted small">what it takes to repeat this</span>}>
      <details className="body">
        <summary>{count(variants.length, "variant")} and how they are asked</summary>
        <FactList
          of={{
            ...rest,
            ...Object.fromEntries(
              variants.map(({ name, ...one }) => [
                name,
                Object.fromEntries(
                  Object.entries(one).filter(([, value]) => value !== null && value !== true),
                ),
              ]),
            ),
          }}
        />
      </details>
    </Card>
  );
}

function About({ study }: { study: StudyDetail }) {
  const presets = useQuery({ ...presetsQuery, enabled: study.preset !== "" });
  const preset = presets.data?.find((one) => one.id === study.preset);
  return (
    <p className="muted">
      {preset &&
        `${[preset.paper, preset.table].filter(Boolean).join(", ")}: ${preset.title.toLowerCase()} · `}
      {study.sets.map((one, place) => (
        <span key={one.name}>
          {place > 0 && ", "}
          {one.graph === null ? (
            <>
              <bdi>{one.name}</bdi> (its graph was deleted)
            </>
          ) : (
            <>
              <bdi>{one.name}</bdi> on{" "}
              <Link to={`/graphs/${one.graph}`}>
                <bdi>{one.graph_name}</bdi>
              </Link>
            </>
          )}
          {one.labels_name && (
            <>
              , labels <bdi>{one.labels_name}</bdi>
            </>
          )}
        </span>
      ))}{" "}
      · {study.plan.split} questions{study.plan.limit !== null && `, at most ${study.plan.limit}`} · budget{" "}
      {study.plan.budget} · {study.plan.reasoner} reasoner{study.llm && ` (${study.llm})`} ·{" "}
      {bytes(study.bytes)} kept · <Ago iso={study.created_at} />
      {study.created_by && ` by ${study.created_by}`}
    </p>
  );
}

export function StudyPage() {
  const { id = "" } = useParams();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const mayManage = useMayManage();
  const { data: session } = useQuery(sessionQuery);
  // What the job says of cells is known before the study is: with each more that is done the study is asked for again.
  const heard = useJobStore((state) =>
    state.jobs.find(
      (one) => one.kind === "study" && String((one.result as { study?: number } | null)?.study) === id,
    ),
  );
  const running = useJobStore((state) =>
    state.jobs
      .filter((one) => one.kind === "study" && isActive(one))
      .map((one) => `${one.id}:${one.done}`)
      .join(),
  );
  const asked = useQuery(studyQuery(id, `${running} ${heard?.state ?? ""}`));
  const { data: study } = asked;
  const isWriter = session?.user?.role === "admin" || session?.user?.role === "analyst";
  if (asked.error || !study) return <Unseen of={asked} what="study" instead={["All studies", "/studies"]} />;
  const mayWrite = mayManage(study.created_by, study.graph);
  return (
    <Page
      title={study.name}
      heading={<bdi>{study.name}</bdi>}
      within={["Studies", "/studies"]}
      wide
      beside={study.state !== "done" && <JobBadge state={study.state} />}
      acts={
        <>
          {mayWrite && !isActive(study) && (
            <Button look="plain" icon="trash" label="Delete" onPress={() => setDeleting(true)} />
          )}
          {isWriter && (
            <Link className="btn" to={`/studies/new?like=${study.id}`}>
              Start one like this
            </Link>
          )}
          {study.rows.length > 0 && (
            <ActMenu
              label="Download the study"
              trigger={<Button icon="download">Download</Button>}
              acts={[
                ...(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => ({
                  id: format,
                  label: FORMATS[format][0],
                  onAction: () =>
                    void saveFile(
                      fileName(study.name, FORMATS[format][1]),
                      downloadStudy(study.id, format),
                      "The table",
                    ),
                })),
                study.capsule && {
                  id: "capsule",
                  label: "Capsule: all of it in one file (RO-Crate)",
                  onAction: () =>
                    void saveFile(fileName(study.name, "zip"), downloadCapsule(study.id), "The capsule"),
                },
              ]}
            />
          )}
        </>
      }
    >
      <About study={study} />
      <Unfinished study={study} mayWrite={mayWrite} />
      {study.rows.length > 0 && <ResultsCard study={study} />}
      {study.rows.length > 0 && <Plots study={study} />}
      <CellsCard study={study} />
      <Plan study={study} />
      <DeleteMade
        kind="studies"
        id={study.id}
        name={study.name}
        isOpen={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate("/studies")}
      >
        Its cells, their reports, and the checkpoints that nobody promoted will be deleted. The question sets
        stay.
      </DeleteMade>
    </Page>
  );
}
