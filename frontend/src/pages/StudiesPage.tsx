// Studies: find one, start one.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { sessionQuery } from "@/api/queries";
import { studiesQuery, type Study } from "@/api/studies";
import { Ago, EmptyState, JobBadge, Progress, QueryState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { Pages, usePage } from "@/components/kit/Pages";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { count, integer } from "@/view/format";

const SIZE = 50;

function Row({ study }: { study: Study }) {
  const { all, done, failed } = study.counts;
  return (
    <tr>
      <td className="cell-name">
        <Link to={`/studies/${study.id}`} className="run-link">
          <bdi>{study.name}</bdi>
        </Link>
        <div className="small muted">{study.sets.map((one) => one.name).join(", ")}</div>
      </td>
      <td className="hide-narrow elide cell-text" title={study.variants.join(", ")}>
        {count(study.variants.length, "variant")}
        <div className="small muted elide">{study.variants.join(", ")}</div>
      </td>
      <td className="num">
        {integer(done)} of {integer(all)}
        {failed > 0 && <div className="small bad-text">{integer(failed)} failed</div>}
      </td>
      <td>
        {study.state === "running" ? (
          <Progress label={study.name} share={all ? done / all : null} />
        ) : (
          <JobBadge state={study.state} />
        )}
      </td>
      <td className="muted nowrap hide-narrow">
        <Ago iso={study.created_at} />
        {study.created_by && ` by ${study.created_by}`}
      </td>
    </tr>
  );
}

export function StudiesPage() {
  const [page, setPage] = usePage();
  const { data: session } = useQuery(sessionQuery);
  const mayWrite = session?.user?.role === "admin" || session?.user?.role === "analyst";
  const studies = useQuery(studiesQuery(page, SIZE));
  const rows = studies.data?.results ?? [];
  const start = mayWrite && (
    <Link className="btn primary" to="/studies/new">
      New study
    </Link>
  );
  return (
    <Page
      title="Studies"
      within={["Experiments", "/experiments"]}
      count={studies.data?.count}
      wide
      acts={
        <>
          <Link className="btn" to="/leaderboard">
            Leaderboard
          </Link>
          {start}
        </>
      }
    >
      <QueryState of={studies} what="studies" retry />
      {studies.data && rows.length === 0 && (
        <EmptyState title="No study yet" act={start}>
          A study trains and tests several variants on your question sets, with several seeds, and puts the
          figures side by side: pick a table of a paper, or write down your own. It needs a graph with a
          question set. {!mayWrite && "An analyst or an admin can start one."}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ResourceTable
          card
          heads={[
            ["Study"],
            ["Variants", "hide-narrow"],
            ["Cells done", "num"],
            ["State"],
            ["Started", "hide-narrow"],
          ]}
        >
          {rows.map((study) => (
            <Row key={study.id} study={study} />
          ))}
        </ResourceTable>
      )}
      <Pages what="the studies" page={page} size={SIZE} data={studies.data} byTime onPage={setPage} />
    </Page>
  );
}
