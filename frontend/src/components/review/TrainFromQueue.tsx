// Training a method from what a queue decided.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { questionSetsQuery, statusQuery, train } from "@/api/queries";
import { reviewKeys, type Queue } from "@/api/review";
import { Modal, PickField, named, type DialogProps } from "@/components/kit/controls";
import { MethodField, NoWorker } from "@/components/kit/asking";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";

function TrainForm({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const { data: status } = useQuery(statusQuery);
  const methods = (status?.methods ?? []).filter((one) => one.trained);
  const own = queue.question_set === null;
  const sets = useQuery({ ...questionSetsQuery(queue.graph), enabled: own }).data?.results ?? [];
  const [methodId, setMethod] = useState<string | null>(null);
  const [setId, setSet] = useState<string | null>(null);
  const [compare, setCompare] = useState(true);
  const method = methods.find((one) => one.id === methodId) ?? methods[0];
  const set = sets.find((one) => String(one.id) === setId) ?? sets[0];
  const start = useAct(
    () =>
      train(queue.graph, {
        method: method?.id ?? "",
        config: {},
        fraction: 1,
        review_queue: queue.id,
        compare,
        ...(own && set && { question_set: set.id }),
      }),
    { changes: [[...reviewKeys.queues, String(queue.id), "trainings"]], job: (job) => job, done: onClose },
  );
  return (
    <Form of={start} act="Start training" isDisabled={!method || (own && !set)} onClose={onClose}>
      <p className="muted">
        {queue.kind === "programs"
          ? "Learns how questions are read: a program that analysts call right is what its question asks, one that they call wrong is not, whatever it gives. Paths are learned as in any training."
          : "Learns from the labels this queue was made of as the verdicts leave them: what analysts call rational stays, what they refuse goes."}
      </p>
      <MethodField methods={methods} value={method?.id} onChange={setMethod} />
      {own && (
        <PickField
          label="Together with the questions of"
          options={named(sets)}
          value={set?.id}
          onChange={setSet}
        />
      )}
      {own && sets.length === 0 && (
        <p className="warn-text">
          This queue has no question set of its own: upload one for this graph first.
        </p>
      )}
      <div className="field">
        <label className="check">
          <input type="checkbox" checked={compare} onChange={(event) => setCompare(event.target.checked)} />
          Compare with the checkpoint in use
        </label>
        <span className="hint">
          Both are asked the same test questions. The new one is used only when it is promoted.
        </span>
      </div>
      {!queue.current && (
        <p className="warn-text">
          The graph has a newer version than this queue, and training is on the current one. Take the labels
          out and train by the command with --labels, or review the current version.
        </p>
      )}
      <NoWorker />
    </Form>
  );
}

export function TrainFromQueue({ queue, isOpen, onClose }: DialogProps & { queue: Queue }) {
  return (
    <Modal title={`Train from ${queue.name}`} isOpen={isOpen} onClose={onClose}>
      <TrainForm queue={queue} onClose={onClose} />
    </Modal>
  );
}
