// Watched questions: what changed and was not looked at yet stands first.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { watchesQuery, type Watch } from "@/api/tests";
import { Ago, EmptyState, QueryState } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Labels } from "@/components/tests/TestWords";

function Row({ watch }: { watch: Watch }) {
  const { last } = watch;
  return (
    <tr className={watch.unread ? "unread" : undefined}>
      <td>
        <Link to={`/tests/${watch.id}`}>
          <bdi className="break">{watch.question}</bdi>
        </Link>
        <div className="small muted">
          <bdi>{watch.graph_name}</bdi>
        </div>
      </td>
      <td>
        {watch.unread && <span className="badge accent">answer changed</span>}{" "}
        <Labels labels={last ? last.answers : watch.expected} />
      </td>
      <td className="muted nowrap hide-narrow">
        {last ? (
          <>
            v{last.version}, <Ago iso={last.at} />
          </>
        ) : (
          <>
            since <Ago iso={watch.created_at} />
          </>
        )}
      </td>
    </tr>
  );
}

export function WatchedPage() {
  const watches = useQuery(watchesQuery);
  if (!watches.data) return <QueryState of={watches} what="what you watch" retry />;
  return (
    <Page title="Watched questions" count={watches.data.length}>
      {watches.data.length === 0 ? (
        <EmptyState
          title="You are not watching any question"
          act={
            <Link className="btn primary" to="/">
              Ask a question
            </Link>
          }
        >
          Choose “Tell me when this changes” in the menu of an answer: it is asked of every new version of its
          graph, and is marked here when the answer differs.
        </EmptyState>
      ) : (
        <ResourceTable heads={[["Question"], ["Answer"], ["Last asked", "hide-narrow"]]} card>
          {watches.data.map((watch) => (
            <Row key={watch.id} watch={watch} />
          ))}
        </ResourceTable>
      )}
    </Page>
  );
}
