// The tests of a graph: what each expects, and how it went the last time.
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { restoreMade } from "@/api/access";
import { keys } from "@/api/queries";
import { askTests, removeTest, type GraphTest } from "@/api/tests";
import type { Graph } from "@/api/types";
import { ActMenu, Button } from "@/components/kit/controls";
import { Ago } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { useAct } from "@/components/kit/useAct";
import { useMethodName } from "@/components/kit/useMethodName";
import { settingsText } from "@/view/settingsForm";
import { toast } from "@/store/toasts";
import { EditTest } from "./EditTest";
import { Labels, OutcomeBadge, Wrong } from "./TestWords";

const UNDO_MS = 12_000;

interface RowProps {
  test: GraphTest;
  mayChange: boolean;
  mayAsk: boolean;
  onEdit: () => void;
}

/** How it is asked, where that is not by itself. */
function How({ test }: { test: GraphTest }) {
  const methodName = useMethodName();
  const parts = [
    test.method && methodName(test.method),
    settingsText(test.options),
    test.entities.length > 0 && `about ${test.entities.join(", ")}`,
    test.own_program && "with a program of its own",
  ].filter(Boolean);
  return parts.length ? <div className="small muted">{parts.join(" · ")}</div> : null;
}

function Row({ test, mayChange, mayAsk, onEdit }: RowProps) {
  const navigate = useNavigate();
  const ask = useAct(() => askTests(test.graph, [test.id]), {
    changes: [keys.graphs],
    failed: true,
  });
  const back = useAct(() => restoreMade("tests", test.id), { changes: [keys.graphs], failed: true });
  const remove = useAct(() => removeTest(test.id), {
    changes: [keys.graphs],
    failed: true,
    done: () => {
      toast("The test was removed.", { ms: UNDO_MS, act: { label: "Undo", run: () => back.mutate() } });
    },
  });
  const { last } = test;
  const stale = last !== null && last.expected.join("\n") !== test.expected.join("\n");
  return (
    <tr>
      <td>
        <Link to={`/?graph=${test.graph}&q=${encodeURIComponent(test.question)}`}>
          <bdi className="break">{test.question}</bdi>
        </Link>
        <How test={test} />
        {last && !stale && <Wrong result={last} />}
      </td>
      <td>
        <Labels labels={test.expected} />
      </td>
      <td className="nowrap">
        {last === null || stale ? (
          <span className="badge">{stale ? "changed since" : "not asked yet"}</span>
        ) : (
          <Link to={`/test-rounds/${last.round}`}>
            <OutcomeBadge outcome={last.outcome} />
          </Link>
        )}
        {last && (
          <div className="small muted">
            v{last.version}, <Ago iso={last.at} />
          </div>
        )}
      </td>
      <td className="acts">
        <ActMenu
          label="This test"
          trigger={
            <Button look="plain" size="small" icon="more" aria-label={`What to do with: ${test.question}`} />
          }
          acts={[
            mayAsk && { id: "ask", label: "Run this test", icon: "play", onAction: () => ask.mutate() },
            {
              id: "history",
              label: "Answers through time",
              icon: "history" as const,
              onAction: () => void navigate(`/tests/${test.id}`),
            },
            ...(mayChange
              ? [
                  {
                    id: "edit",
                    label: "Change what it expects",
                    icon: "gear" as const,
                    onAction: onEdit,
                  },
                  {
                    id: "remove",
                    label: "Remove",
                    icon: "trash" as const,
                    onAction: () => remove.mutate(),
                  },
                ]
              : []),
          ]}
        />
      </td>
    </tr>
  );
}

interface Props {
  graph: Graph;
  tests: readonly GraphTest[];
  mayWrite: boolean;
  mayChange: boolean;
}

export function TestTable({ graph, tests, mayWrite, mayChange }: Props) {
  const [editing, setEditing] = useState<GraphTest | null>(null);
  return (
    <>
      <ResourceTable heads={[["Question"], ["Expected"], ["Last result"]]} acts>
        {tests.map((test) => (
          <Row
            key={test.id}
            test={test}
            mayAsk={mayWrite && graph.state === "ready"}
            mayChange={mayChange}
            onEdit={() => setEditing(test)}
          />
        ))}
      </ResourceTable>
      <EditTest test={editing} onClose={() => setEditing(null)} />
    </>
  );
}
