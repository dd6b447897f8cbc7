// Training on a question set, and the checkpoints that came of it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { checkpointsQuery, questionSetsQuery, statusQuery, train } from "@/api/queries";
import type { Graph } from "@/api/types";
import { Button, Modal, Pick } from "@/components/kit/controls";
import { Ago, ErrorNotice, Loading } from "@/components/kit/says";
import { count } from "@/store/format";
import { useJobStore } from "@/store/jobStore";

function metric(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

function TrainForm({ graph, onClose }: { graph: Graph; onClose: () => void }) {
  const sets = useQuery(questionSetsQuery(graph.id));
  const status = useQuery(statusQuery);
  const [set, setSet] = useState<string | null>(null);
  const [method, setMethod] = useState<string | null>(null);
  const options = (sets.data?.results ?? []).map((one) => ({
    id: String(one.id),
    label: one.name,
    detail: count(one.questions, "question"),
  }));
  const methods = (status.data?.methods ?? [])
    .filter((one) => one.available)
    .map((one) => ({ id: one.id, label: one.label, detail: one.description }));
  const chosenSet = set ?? options[0]?.id ?? null;
  const chosenMethod = method ?? methods[0]?.id ?? null;
  const start = useMutation({
    mutationFn: () => train(graph.id, chosenSet ?? "", chosenMethod ?? ""),
    onSuccess: (job) => {
      useJobStore.getState().put([job]);
      onClose();
    },
  });
  if (sets.isPending) return <Loading what="question sets" />;
  if (options.length === 0) {
    return (
      <p>Upload a question set for this graph first: training learns from questions with known answers.</p>
    );
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <Pick label="Question set" showLabel options={options} value={chosenSet} onChange={setSet} />
      <Pick label="Method" showLabel options={methods} value={chosenMethod} onChange={setMethod} />
      <p className="muted small">
        Training runs as a job: its progress is in the tray, it can be cancelled, and asking goes on
        meanwhile. When it is done, this graph is asked with the new checkpoint.
      </p>
      {status.data?.workers.jobs === 0 && (
        <p className="bad-text">No worker is running. The job is kept and starts when one does.</p>
      )}
      {start.error && <ErrorNotice error={start.error} />}
      <div className="foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!chosenSet || !chosenMethod || start.isPending}>
          Start training
        </Button>
      </div>
    </form>
  );
}

export function Training({ graph, mayWrite }: { graph: Graph; mayWrite: boolean }) {
  const [open, setOpen] = useState(false);
  const checkpoints = useQuery(checkpointsQuery(graph.id));
  const list = checkpoints.data?.results ?? [];
  const names = [...new Set(list.flatMap((one) => Object.keys(one.metrics)))].slice(0, 5);
  return (
    <section className="card" aria-labelledby="training-title">
      <header>
        <h2 id="training-title">Checkpoints</h2>
        <span className="grow" />
        {mayWrite && graph.state === "ready" && (
          <Button
            size="small"
            onPress={() => {
              setOpen(true);
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
                  <th key={name} className="num">
                    {name.replaceAll("_", " ")}
                  </th>
                ))}
                <th>Fingerprint</th>
                <th>Trained</th>
              </tr>
            </thead>
            <tbody>
              {list.map((one) => (
                <tr key={one.id}>
                  <td className="nowrap">
                    {one.method}{" "}
                    {graph.checkpoint && String(graph.checkpoint.id) === String(one.id) && (
                      <span className="badge good">in use</span>
                    )}
                  </td>
                  {names.map((name) => (
                    <td key={name} className="num">
                      {one.metrics[name] === undefined ? "–" : metric(one.metrics[name])}
                    </td>
                  ))}
                  <td className="mono muted" title={`${one.fingerprint}, encoder ${one.encoder}`}>
                    {one.fingerprint.slice(0, 10)}
                  </td>
                  <td className="muted nowrap">
                    <Ago iso={one.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Modal
        title={`Train on ${graph.name}`}
        isOpen={open}
        onClose={() => {
          setOpen(false);
        }}
      >
        <TrainForm
          graph={graph}
          onClose={() => {
            setOpen(false);
          }}
        />
      </Modal>
    </section>
  );
}
