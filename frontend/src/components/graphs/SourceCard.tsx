// The source of a graph on its page: where its next versions come from, when, and what came of each refresh.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  confirmRefresh,
  deleteSource,
  refreshGraph,
  sourceQuery,
  type GraphSource,
  type Refresh,
} from "@/api/sources";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { ConfirmDelete } from "@/components/kit/ConfirmDelete";
import { Card } from "@/components/kit/Card";
import { Button, IconButton } from "@/components/kit/controls";
import { Ago, ErrorNotice, Notice, QueryState } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { KINDS } from "@/view/refreshes";
import { describeSchedule } from "@/view/schedule";
import { percent } from "@/view/format";
import { violationsText } from "@/view/tests";
import { RefreshList } from "./RefreshList";
import { SourceDialog } from "./SourceForm";

interface Props {
  graph: Graph;
  mayChange: boolean;
}

/** The refresh whose version waits for a person, if a newer one has not replaced it. */
function findShrunken(refreshes: readonly Refresh[]): Refresh | undefined {
  const last = refreshes.find(({ outcome }) => !["unchanged", "failed", "stopped"].includes(outcome));
  return last?.outcome === "shrunk" && last.version !== null ? last : undefined;
}

/** Said at the top of a graph's page: the last refresh failed, or a version waits for a person. */
export function SourceNotice({ graph, mayChange }: Props) {
  const { data } = useQuery(sourceQuery(graph.id));
  const shrunken = findShrunken(data?.refreshes ?? []);
  const confirm = useAct(() => confirmRefresh(graph.id, shrunken?.id ?? 0), { changes: [keys.graphs] });
  const { error, is_paused, failures } = data?.source ?? { error: null, is_paused: false, failures: 0 };
  return (
    <>
      {error && (
        <Notice tone="bad" title={`The last refresh failed: ${error.message}`}>
          {error.hint} Version {graph.snapshot?.version ?? ""} stays in use.
          {is_paused &&
            ` The schedule is paused after ${failures} failures in a row; saving the source resumes it.`}
        </Notice>
      )}
      {shrunken && (
        <Notice
          tone="warn"
          title={`Version ${shrunken.version} has lost ${percent(1 - shrunken.after / shrunken.before)} of the content`}
          acts={
            mayChange && (
              <Button isDisabled={confirm.isPending} onPress={() => confirm.mutate()}>
                Use it anyway
              </Button>
            )
          }
        >
          The source has shrunk, so the version was not put into use.
          {shrunken.violations > 0 && ` It also has ${violationsText(shrunken)}.`} Version{" "}
          {graph.snapshot?.version} is asked until somebody decides.
        </Notice>
      )}
      {confirm.error && <ErrorNotice error={confirm.error} />}
    </>
  );
}

function Settings({ source }: { source: GraphSource }) {
  return (
    <dl className="facts-list endpoint-settings">
      <div>
        <dt>kind</dt>
        <dd>{KINDS[source.kind]}</dd>
      </div>
      {source.addresses.length > 0 && (
        <div>
          <dt>{source.addresses.length > 1 ? "addresses" : "address"}</dt>
          <dd className="mono wrap-anywhere">{source.addresses.join("\n")}</dd>
        </div>
      )}
      {source.query && (
        <div>
          <dt>query</dt>
          <dd className="mono wrap-anywhere">{source.query}</dd>
        </div>
      )}
      <div>
        <dt>read</dt>
        <dd>
          {describeSchedule(source.schedule)}
          {source.is_paused
            ? ", paused"
            : source.next_at && (
                <>
                  , next <Ago iso={source.next_at} />
                </>
              )}
        </dd>
      </div>
      <div>
        <dt>checked</dt>
        <dd>
          {source.checked_at ? <Ago iso={source.checked_at} /> : "never"}
          {source.changed_at && (
            <>
              , changed <Ago iso={source.changed_at} />
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}

function Empty({ mayChange }: { mayChange: boolean }) {
  return (
    <p className="muted">
      A file at an address, S3 storage, a database or a SPARQL endpoint that is read again, by hand or on a
      schedule. If it has changed, it becomes the next version after the tests of the graph.{" "}
      {mayChange ? "None is set." : "None is set; the owner of the graph can set one."}
    </p>
  );
}

export function SourceCard({ graph, mayChange }: Props) {
  const state = useQuery(sourceQuery(graph.id));
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const changes = [keys.graphs];
  const start = useAct(() => refreshGraph(graph.id), { changes });
  const remove = useAct(() => deleteSource(graph.id), { changes, done: () => setDeleting(false) });
  const source = state.data?.source ?? null;
  const refreshes = state.data?.refreshes ?? [];
  const isGoing = refreshes.some(({ outcome, retry_at }) => !outcome && !retry_at);
  return (
    <Card
      title="Source"
      id="source"
      wrap
      acts={
        mayChange &&
        state.data && (
          <>
            {source && (
              <Button
                size="small"
                icon="retry"
                isDisabled={start.isPending || isGoing}
                onPress={() => start.mutate()}
              >
                {isGoing ? "Refreshing" : "Refresh now"}
              </Button>
            )}
            <Button size="small" icon="gear" onPress={() => setEditing(true)}>
              {source ? "Change" : "Set a source"}
            </Button>
            {source && (
              <IconButton
                icon="trash"
                size="small"
                label="Delete the source"
                onPress={() => setDeleting(true)}
              />
            )}
          </>
        )
      }
    >
      <div className="body stack">
        <QueryState of={state} what="the source" retry />
        {start.error && <ErrorNotice error={start.error} />}
        {state.data && (source ? <Settings source={source} /> : <Empty mayChange={mayChange} />)}
      </div>
      {refreshes.length > 0 && <RefreshList graph={graph} refreshes={refreshes} />}
      <SourceDialog graph={graph} source={source} isOpen={editing} onClose={() => setEditing(false)} />
      <ConfirmDelete
        name="the source"
        isOpen={deleting}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      >
        The graph keeps its versions and is not refreshed any more. A stored password is deleted with it.
      </ConfirmDelete>
    </Card>
  );
}
