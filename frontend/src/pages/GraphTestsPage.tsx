// The tests of a graph: kept, asked, and what failing ones do.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { graphQuery, keys, sessionQuery } from "@/api/queries";
import { useManagesGraph } from "@/api/rights";
import { askTests, exportTests, roundsQuery, setHold, testsQuery } from "@/api/tests";
import type { Graph } from "@/api/types";
import { Card } from "@/components/kit/Card";
import { Button } from "@/components/kit/controls";
import { EmptyState, QueryState, troubleOf } from "@/components/kit/feedback";
import { Page } from "@/components/kit/Page";
import { useAct } from "@/components/kit/useAct";
import { AddTests } from "@/components/tests/AddTests";
import { RoundList } from "@/components/tests/RoundList";
import { TestNotice } from "@/components/tests/TestsCard";
import { TestTable } from "@/components/tests/TestTable";
import { download, fileName } from "@/components/kit/files";
import { toast } from "@/store/toasts";

function Hold({ graph, hold, mayChange }: { graph: Graph; hold: boolean; mayChange: boolean }) {
  const set = useAct((next: boolean) => setHold(graph.id, next), { changes: [keys.graphs], failed: true });
  const shown = set.isPending ? set.variables : hold;
  return (
    <Card title="Before a version becomes current">
      <div className="body">
        <p className="muted">
          The tests are asked of every new version, and with every checkpoint before it is promoted.
        </p>
        <label className="check">
          <input
            type="checkbox"
            checked={shown}
            disabled={!mayChange}
            onChange={(event) => set.mutate(event.target.checked)}
          />
          Hold it back when a test does not pass
        </label>
        <p className="hint">
          {shown
            ? "It becomes current when all tests pass, or when somebody makes it current anyway."
            : "It becomes current either way; the result says what changed."}
        </p>
      </div>
    </Card>
  );
}

export function GraphTestsPage() {
  const { id = "" } = useParams();
  const navigate = useNavigate();
  const graph = useQuery(graphQuery(id));
  const tests = useQuery(testsQuery(id));
  const rounds = useQuery(roundsQuery(id));
  const role = useQuery(sessionQuery).data?.user?.role;
  const managesGraph = useManagesGraph();
  const [adding, setAdding] = useState(false);
  const mayWrite = role === "admin" || role === "analyst";
  const ask = useAct(() => askTests(id), {
    changes: [keys.graphs],
    failed: true,
    done: (round) => navigate(`/test-rounds/${round.id}`),
  });
  if (!graph.data || !tests.data) {
    return <QueryState of={graph.data ? tests : graph} what="the tests" retry />;
  }
  const mayChange = managesGraph(graph.data.id);
  const list = tests.data.tests;
  const past = rounds.data?.results ?? [];
  return (
    <Page
      title={`Tests of ${graph.data.name}`}
      heading="Tests"
      within={[graph.data.name, `/graphs/${id}`]}
      count={list.length}
      acts={
        <>
          {list.length > 0 && (
            <Button
              look="plain"
              icon="download"
              onPress={() =>
                void exportTests(id).then(
                  (content) => {
                    download(fileName(`${graph.data.name} tests`, "json"), JSON.stringify(content, null, 2));
                  },
                  (error: unknown) => {
                    toast(troubleOf(error).message);
                  },
                )
              }
            >
              Download
            </Button>
          )}
          {mayChange && (
            <Button icon="plus" onPress={() => setAdding(true)}>
              Add
            </Button>
          )}
          {mayWrite && list.length > 0 && (
            <Button look="primary" isDisabled={ask.isPending} onPress={() => ask.mutate()}>
              Run all
            </Button>
          )}
        </>
      }
    >
      <TestNotice graph={graph.data} />
      {list.length === 0 ? (
        <EmptyState
          title="No test yet"
          act={
            <Link className="btn primary" to={`/?graph=${id}`}>
              Ask a question
            </Link>
          }
        >
          Ask a question and choose “Keep as a test” beside its answers, or add tests that you type or have in
          a file.
        </EmptyState>
      ) : (
        <section className="card" aria-label="Tests">
          <TestTable graph={graph.data} tests={list} mayWrite={mayWrite} mayChange={mayChange} />
        </section>
      )}
      <Hold graph={graph.data} hold={tests.data.hold} mayChange={mayChange} />
      {past.length > 0 && (
        <Card title="Rounds" count={rounds.data?.count}>
          <RoundList rounds={past} />
        </Card>
      )}
      <AddTests graph={id} isOpen={adding} onClose={() => setAdding(false)} />
    </Page>
  );
}
