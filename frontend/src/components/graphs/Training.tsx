// The checkpoints of a graph: what training left behind, how good each was, and what to do with it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { checkpointsQuery, promotionsQuery } from "@/api/queries";
import { useManagesGraph } from "@/api/rights";
import type { Checkpoint, Graph, Id } from "@/api/types";
import { EvaluateDialog } from "@/components/experiments/EvaluateDialog";
import { FactList } from "@/components/kit/FactList";
import { Button, Modal } from "@/components/kit/controls";
import { Ago, ErrorNotice } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Card } from "@/components/kit/Card";
import { copyText } from "@/components/kit/files";
import { concernOf } from "@/view/checkpointGain";
import { metricName } from "@/view/format";
import { KEY_METRICS } from "@/view/reports";
import { CheckpointRow } from "./CheckpointRow";
import { Curves } from "./Curves";
import { DeleteMade } from "./DeleteMade";
import { CompareDialog } from "./Gain";
import { InUse } from "./InUse";
import { TrainDialog } from "./TrainDialog";
import { UploadCheckpoint } from "./UploadCheckpoint";
import { usePromotion } from "./usePromotion";

function CheckpointFacts({ checkpoint }: { checkpoint: Checkpoint }) {
  const { method, fingerprint, encoder, snapshot, question_set_name, fraction, config, metrics } = checkpoint;
  const facts = {
    method,
    fingerprint,
    encoder,
    snapshot,
    question_set: question_set_name,
    fraction,
    config,
    metrics,
  };
  return (
    <>
      <FactList of={facts} />
      <Curves checkpoint={checkpoint.id} />
      <div className="foot">
        <Button icon="copy" onPress={() => void copyText(JSON.stringify(facts, null, 2), "Settings")}>
          Copy
        </Button>
      </div>
    </>
  );
}

/** What answers when a checkpoint is gone. */
function afterwards(gone: Checkpoint, all: readonly Checkpoint[]): string {
  if (!gone.in_use) return "It is not the one in use: nothing is answered otherwise.";
  const left = all.some((one) => one.id !== gone.id && one.current && one.method === gone.method);
  return left
    ? "It is in use. From then on the one answers that was in use before it, if any; else questions are answered untrained."
    : `It is in use. Without it ${gone.method} answers untrained, which may be rough.`;
}

/** Who promoted what and when. */
function Promotions({ graph, checkpoints }: { graph: Graph; checkpoints: readonly Checkpoint[] }) {
  const made = useQuery(promotionsQuery(graph.id)).data?.results ?? [];
  if (made.length === 0) return null;
  const name = (id: Id | null) =>
    checkpoints.find((one) => String(one.id) === String(id))?.fingerprint.slice(0, 10) ??
    (id === null ? "untrained answering" : "a deleted one");
  return (
    <details className="more body">
      <summary>
        Promotions <span className="badge">{made.length}</span>
      </summary>
      <ul className="small">
        {made.map((one) => (
          <li key={one.id}>
            <Ago iso={one.at} />, {one.user ?? "somebody"}{" "}
            {one.kind === "promoted" ? "promoted" : "went back to"} {one.method}{" "}
            <span className="mono">{name(one.checkpoint)}</span> from{" "}
            <span className="mono">{name(one.previous)}</span>
            {one.rolled_back && <span className="muted"> (taken back)</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Training({ graph, mayWrite }: { graph: Graph; mayWrite: boolean }) {
  const [training, setTraining] = useState(false);
  const [bringing, setBringing] = useState(false);
  const [evaluating, setEvaluating] = useState<Checkpoint | null>(null);
  const [comparing, setComparing] = useState<Checkpoint | null>(null);
  const [promoting, setPromoting] = useState<Checkpoint | null>(null);
  const [showing, setShowing] = useState<Checkpoint | null>(null);
  const [deleting, setDeleting] = useState<Checkpoint | null>(null);
  const checkpoints = useQuery(checkpointsQuery(graph.id));
  const { promote, back } = usePromotion(graph.id);
  const managesGraph = useManagesGraph()(graph.id);
  const list = checkpoints.data?.results ?? [];
  const names = KEY_METRICS.filter((name) => list.some((one) => one.metrics[name] !== undefined));
  return (
    <Card
      title="Checkpoints"
      id="training"
      acts={
        <>
          {list.length > 0 && (
            <Link className="btn plain small" to={`/experiments?graph=${graph.id}`}>
              Reports
            </Link>
          )}
          {mayWrite && graph.state === "ready" && (
            <>
              {managesGraph && (
                <Button
                  size="small"
                  icon="upload"
                  aria-label="Upload a checkpoint"
                  onPress={() => setBringing(true)}
                >
                  Upload
                </Button>
              )}
              <Button size="small" onPress={() => setTraining(true)}>
                Train
              </Button>
            </>
          )}
        </>
      }
    >
      {checkpoints.error && <ErrorNotice error={checkpoints.error} />}
      {checkpoints.data && graph.triples > 0 && <InUse graph={graph} checkpoints={list} />}
      {list.length > 0 && (
        <ResourceTable
          heads={[
            ["Method"],
            [
              "Gain",
              undefined,
              "Exactly right by what answered before, and by the checkpoint, on the same questions",
            ],
            ...names.map((name) => [metricName(name), "num", "On the dev split"] as const),
            ["Question set"],
            ["Seed", "num"],
            ["Fingerprint"],
            ["Trained"],
          ]}
          acts
        >
          {list.map((one) => (
            <CheckpointRow
              key={one.id}
              graph={graph}
              checkpoint={one}
              all={list}
              names={names}
              mayWrite={mayWrite}
              onEvaluate={() => setEvaluating(one)}
              onSettings={() => setShowing(one)}
              onCompare={() => setComparing(one)}
              onPromote={() => (concernOf(one, list) ? setPromoting(one) : promote.mutate(one))}
              onRollBack={() => back.mutate(one.method)}
              onDelete={() => setDeleting(one)}
            />
          ))}
        </ResourceTable>
      )}
      {list.length > 0 && <Promotions graph={graph} checkpoints={list} />}
      <TrainDialog graph={graph} isOpen={training} onClose={() => setTraining(false)} />
      <UploadCheckpoint graph={graph} isOpen={bringing} onClose={() => setBringing(false)} />
      <EvaluateDialog
        isOpen={evaluating !== null}
        start={{
          graph: String(graph.id),
          ...(evaluating && {
            method: evaluating.method,
            checkpoint: String(evaluating.id),
            question_set: evaluating.question_set === null ? null : String(evaluating.question_set),
          }),
        }}
        onClose={() => setEvaluating(null)}
      />
      <Modal title="How it was trained" wide isOpen={showing !== null} onClose={() => setShowing(null)}>
        {showing && <CheckpointFacts checkpoint={showing} />}
      </Modal>
      {comparing && <CompareDialog checkpoint={comparing} onClose={() => setComparing(null)} />}
      {promoting && (
        <Modal
          title={`Promote ${promoting.method} ${promoting.fingerprint.slice(0, 8)}?`}
          isOpen
          onClose={() => setPromoting(null)}
        >
          <p>{concernOf(promoting, list)}</p>
          <p className="muted">
            Once promoted it answers everybody who asks this graph. It can be rolled back.
          </p>
          <div className="foot">
            <Button onPress={() => setPromoting(null)}>Cancel</Button>
            <Button
              look="primary"
              onPress={() => {
                promote.mutate(promoting);
                setPromoting(null);
              }}
            >
              Promote anyway
            </Button>
          </div>
        </Modal>
      )}
      {deleting && (
        <DeleteMade
          kind="checkpoints"
          id={deleting.id}
          name={`${deleting.method} ${deleting.fingerprint.slice(0, 8)}`}
          isOpen
          onClose={() => setDeleting(null)}
        >
          {afterwards(deleting, list)} Its reports and runs stay.
        </DeleteMade>
      )}
    </Card>
  );
}
