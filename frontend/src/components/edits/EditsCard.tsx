// The hygiene of a graph: suggested duplicates, and the log of edits by hand with a way to undo them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { editsQuery, undoEdit, type Edit, type Operation } from "@/api/edits";
import { keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Card } from "@/components/kit/Card";
import { Button } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/feedback";
import { Pages } from "@/components/kit/Pages";
import { useAct } from "@/components/kit/useAct";
import { toast } from "@/store/toasts";
import { Duplicates } from "./Duplicates";
import { EditDialog } from "./EditDialog";

const STATES: Record<Edit["state"], { label: string; tone: string }> = {
  pending: { label: "being made", tone: "" },
  failed: { label: "failed", tone: "bad" },
  current: { label: "in use", tone: "good" },
  undone: { label: "undone", tone: "" },
  dropped: { label: "not applied again", tone: "warn" },
  absent: { label: "not in this version", tone: "" },
};

function EditRow({ graph, edit, mayChange }: { graph: Graph; edit: Edit; mayChange: boolean }) {
  const undo = useAct(() => undoEdit(graph.id, edit.number), {
    changes: [keys.graphs],
    job: (job) => job,
    done: () => {
      toast(`Edit ${edit.number} is being undone.`);
    },
  });
  const { label, tone } = STATES[edit.state];
  const isUndo = edit.undoes !== null;
  return (
    <li className="edit-row">
      <div className="row wrap">
        <span className="muted tabular">{edit.number}</span>
        <bdi className="grow">{edit.description}</bdi>
        {!(isUndo && edit.state === "current") && <span className={`badge ${tone}`.trim()}>{label}</span>}
        {mayChange && edit.state === "current" && !isUndo && (
          <Button
            size="small"
            icon="undo"
            aria-label={`Undo edit ${edit.number}`}
            isDisabled={undo.isPending}
            onPress={() => undo.mutate()}
          >
            Undo
          </Button>
        )}
      </div>
      <p className="small muted">
        <Ago iso={edit.created_at} />
        {edit.created_by && ` by ${edit.created_by}`}
        {edit.version !== null && `, version ${edit.version}`}
        {edit.reason && (
          <>
            . Reason: <bdi>{edit.reason}</bdi>
          </>
        )}
        {edit.source && (
          <>
            . Source: <bdi>{edit.source}</bdi>
          </>
        )}
      </p>
      {edit.message && <p className="small">{edit.message}</p>}
      {undo.error && <ErrorNotice error={undo.error} />}
    </li>
  );
}

export function EditsCard({ graph, mayChange }: { graph: Graph; mayChange: boolean }) {
  const [page, setPage] = useState(1);
  const [operation, setOperation] = useState<Operation | null>(null);
  const { data, error } = useQuery(editsQuery(graph.id, page));
  return (
    <Card
      title="Edits"
      id="edits"
      count={data?.count}
      acts={
        mayChange && (
          <Button
            size="small"
            icon="plus"
            onPress={() => setOperation({ op: "add_fact", fact: ["", "", ""] })}
          >
            Add a fact
          </Button>
        )
      }
    >
      <div className="body stack">
        {error && <ErrorNotice error={error} />}
        {!data && !error && <Loading what="the edits" />}
        {data?.count === 0 && (
          <p className="muted">
            Nobody has edited this graph by hand. Each edit makes a version, and can be undone here.
          </p>
        )}
        {data && data.count > 0 && (
          <ol className="edit-list" aria-label="Log of edits">
            {data.results.map((edit) => (
              <EditRow key={edit.number} graph={graph} edit={edit} mayChange={mayChange} />
            ))}
          </ol>
        )}
        <Pages what="edits" page={page} size={10} data={data} onPage={setPage} byTime />
        <Duplicates graph={graph} mayChange={mayChange} onMerge={setOperation} />
      </div>
      <EditDialog graph={graph} operation={operation} onClose={() => setOperation(null)} />
    </Card>
  );
}
