// The checkpoints of a graph: what training left behind, how good each was, and what to do with it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { checkpointsQuery, deleteCheckpoint, keys, promotionsQuery } from "@/api/queries";
import type { Checkpoint, Graph, Id } from "@/api/types";
import { EvaluateDialog } from "@/components/experiments/EvaluateDialog";
import { FactList } from "@/components/kit/FactList";
import { ActMenu, Button, Modal } from "@/components/kit/controls";
import { Ago, ErrorNotice, Fingerprint } from "@/components/kit/says";
import { copyText } from "@/store/files";
import { exactTime, metricName, metricValue, percent } from "@/store/format";
import { KEY_METRICS } from "@/store/reports";
import { Curves } from "./Curves";
import { TrainDialog } from "./TrainDialog";
import { usePromotion } from "./usePromotion";

interface RowProps {
  graph: Graph;
  checkpoint: Checkpoint;
  names: readonly string[];
  mayWrite: boolean;
  onEvaluate: () => void;
  onSettings: () => void;
  onPromote: () => void;
  onRollBack: () => void;
  onDelete: () => void;
}

function Row(props: RowProps) {
  const { graph, checkpoint, names, mayWrite, onEvaluate, onSettings, onPromote, onRollBack, onDelete } =
    props;
  const ask = `/?graph=${graph.id}&method=${checkpoint.method}&checkpoint=${checkpoint.id}`;
  return (
    <tr>
      <td className="nowrap">
        {checkpoint.method}{" "}
        {checkpoint.in_use && (
          <span
            className="badge good"
            title={
              checkpoint.promoted_at
                ? `Promoted ${exactTime(checkpoint.promoted_at)}: used whatever is trained later`
                : "The newest of its method: used until another is trained or promoted"
            }
          >
            {checkpoint.promoted_at ? "promoted" : "in use"}
          </span>
        )}
        {!checkpoint.current && (
          <span
            className="badge warn"
            title="Trained on an earlier snapshot of this graph; it cannot be asked any more"
          >
            earlier snapshot
          </span>
        )}
      </td>
      {names.map((name) => (
        <td key={name} className="num">
          {metricValue(name, checkpoint.metrics[name] ?? null)}
        </td>
      ))}
      <td>
        {checkpoint.question_set_name}
        {checkpoint.fraction < 1 && (
          <span className="muted small"> {percent(checkpoint.fraction)} of it</span>
        )}
      </td>
      <td className="num">{checkpoint.seed}</td>
      <td>
        <Fingerprint value={checkpoint.fingerprint} />
      </td>
      <td className="muted nowrap">
        <Ago iso={checkpoint.created_at} />
      </td>
      <td className="acts">
        {checkpoint.current && (
          <Link
            className="btn small"
            to={ask}
            aria-label={`Ask with ${checkpoint.method} ${checkpoint.fingerprint.slice(0, 10)}`}
          >
            Ask
          </Link>
        )}{" "}
        {mayWrite && checkpoint.current && (
          <Button
            size="small"
            aria-label={`Evaluate ${checkpoint.method} ${checkpoint.fingerprint.slice(0, 10)}`}
            onPress={onEvaluate}
          >
            Evaluate
          </Button>
        )}
        <ActMenu
          label={`More for ${checkpoint.method}`}
          trigger={
            <Button look="plain" size="small" icon="more" aria-label={`More for ${checkpoint.method}`} />
          }
          acts={[
            { id: "settings", label: "How it was trained", icon: "info", onAction: onSettings },
            ...(mayWrite && checkpoint.current && !checkpoint.promoted_at
              ? [{ id: "promote", label: "Promote", icon: "check" as const, onAction: onPromote }]
              : []),
            ...(mayWrite && checkpoint.promoted_at
              ? [{ id: "back", label: "Roll back", icon: "undo" as const, onAction: onRollBack }]
              : []),
            ...(mayWrite
              ? [
                  {
                    id: "delete",
                    label: "Delete…",
                    icon: "trash" as const,
                    bad: true,
                    onAction: onDelete,
                  },
                ]
              : []),
          ]}
        />
      </td>
    </tr>
  );
}

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

function DeleteCheckpoint({ checkpoint, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteCheckpoint(checkpoint.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.checkpoints });
      void client.invalidateQueries({ queryKey: keys.graphs });
      onClose();
    },
  });
  return (
    <>
      <p>
        {checkpoint.method} {checkpoint.fingerprint.slice(0, 10)} will be deleted. Its reports and runs stay.
      </p>
      {remove.error && <ErrorNotice error={remove.error} />}
      <div className="foot">
        <Button onPress={onClose}>Keep it</Button>
        <Button
          look="danger"
          isDisabled={remove.isPending}
          onPress={() => {
            remove.mutate();
          }}
        >
          Delete
        </Button>
      </div>
    </>
  );
}

/** Who promoted what and when. */
function Promotions({ graph, checkpoints }: { graph: Graph; checkpoints: readonly Checkpoint[] }) {
  const made = useQuery(promotionsQuery(graph.id)).data?.results ?? [];
  if (made.length === 0) return null;
  const name = (id: Id | null) =>
    checkpoints.find((one) => String(one.id) === String(id))?.fingerprint.slice(0, 10) ??
    (id === null ? "the newest" : "a deleted one");
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
  const [evaluating, setEvaluating] = useState<Checkpoint | null>(null);
  const [showing, setShowing] = useState<Checkpoint | null>(null);
  const [deleting, setDeleting] = useState<Checkpoint | null>(null);
  const checkpoints = useQuery(checkpointsQuery(graph.id));
  const { promote, back } = usePromotion(graph.id);
  const list = checkpoints.data?.results ?? [];
  const names = KEY_METRICS.filter((name) => list.some((one) => one.metrics[name] !== undefined));
  return (
    <section className="card" aria-labelledby="training-title" id="training">
      <header>
        <h2 id="training-title">Checkpoints</h2>
        <span className="grow" />
        {list.length > 0 && (
          <Link className="btn plain small" to={`/experiments?graph=${graph.id}`}>
            Reports
          </Link>
        )}
        {mayWrite && graph.state === "ready" && (
          <Button
            size="small"
            onPress={() => {
              setTraining(true);
            }}
          >
            Train
          </Button>
        )}
      </header>
      {checkpoints.error && <ErrorNotice error={checkpoints.error} />}
      {checkpoints.data && list.length === 0 && (
        <p className="body muted">
          Not trained yet. Until then questions are answered zero-shot, with relation paths scored by the text
          encoder.
        </p>
      )}
      {list.length > 0 && (
        <div className="scroll-x">
          <table className="table">
            <thead>
              <tr>
                <th>Method</th>
                {names.map((name) => (
                  <th key={name} className="num" title="On the dev split">
                    {metricName(name)}
                  </th>
                ))}
                <th>Question set</th>
                <th className="num">Seed</th>
                <th>Fingerprint</th>
                <th>Trained</th>
                <th>
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((one) => (
                <Row
                  key={one.id}
                  graph={graph}
                  checkpoint={one}
                  names={names}
                  mayWrite={mayWrite}
                  onEvaluate={() => {
                    setEvaluating(one);
                  }}
                  onSettings={() => {
                    setShowing(one);
                  }}
                  onPromote={() => {
                    promote.mutate(one);
                  }}
                  onRollBack={() => {
                    back.mutate(one.method);
                  }}
                  onDelete={() => {
                    setDeleting(one);
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.length > 0 && <Promotions graph={graph} checkpoints={list} />}
      <TrainDialog
        graph={graph}
        isOpen={training}
        onClose={() => {
          setTraining(false);
        }}
      />
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
        onClose={() => {
          setEvaluating(null);
        }}
      />
      <Modal
        title="How it was trained"
        wide
        isOpen={showing !== null}
        onClose={() => {
          setShowing(null);
        }}
      >
        {showing && <CheckpointFacts checkpoint={showing} />}
      </Modal>
      <Modal
        title="Delete this checkpoint?"
        role="alertdialog"
        isOpen={deleting !== null}
        onClose={() => {
          setDeleting(null);
        }}
      >
        {deleting && (
          <DeleteCheckpoint
            checkpoint={deleting}
            onClose={() => {
              setDeleting(null);
            }}
          />
        )}
      </Modal>
    </section>
  );
}
