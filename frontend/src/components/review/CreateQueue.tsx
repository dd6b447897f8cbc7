// Make a review queue: of which label sets, in which order, judged by how many.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { graphsQuery, labelSetsQuery, questionSetsQuery } from "@/api/queries";
import { createQueue, reviewKeys, type NewQueue, type Ordering, type QueueKind } from "@/api/review";
import { Modal, PickField, named, type DialogProps } from "@/components/kit/controls";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { count } from "@/view/format";

const KINDS: { id: QueueKind; label: string; detail: string }[] = [
  { id: "paths", label: "Paths", detail: "Which relation paths are why the answers are right" },
  { id: "programs", label: "Programs", detail: "Which steps are what a question asks, as given and as read" },
];

const ORDERINGS: { id: Ordering; label: string; detail: string }[] = [
  { id: "uncertainty", label: "Most doubtful first", detail: "Near the border, or sources disagree" },
  { id: "sequential", label: "As the questions come", detail: "The order of the question set" },
  { id: "random", label: "Random", detail: "Drawn once, the same for everybody" },
];

function QueueForm({ onClose }: { onClose: () => void }) {
  const graphs = useQuery(graphsQuery);
  const ready = (graphs.data?.results ?? []).filter((one) => one.state === "ready" && !one.endpoint);
  const [graphId, setGraph] = useState<string | null>(null);
  const graph = graphId ?? (ready[0] ? String(ready[0].id) : null);
  const sets = useQuery({ ...questionSetsQuery(graph), enabled: graph !== null });
  const labels = useQuery({ ...labelSetsQuery(graph ?? ""), enabled: graph !== null });
  const [setId, setSet] = useState<string | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [ordering, setOrdering] = useState<Ordering>("uncertainty");
  const [overlap, setOverlap] = useState("1");
  const done = (labels.data?.results ?? []).filter(
    (one) => one.state === "done" && one.question_set !== null,
  );
  const [kind, setKind] = useState<QueueKind>("paths");
  const programs = kind === "programs";
  const usable = (sets.data?.results ?? []).filter(
    (one) => programs || done.some((two) => two.question_set === one.id),
  );
  const set = usable.find((one) => String(one.id) === setId) ?? usable[0];
  const offered = programs ? [] : done.filter((one) => one.question_set === set?.id);
  const chosen = offered.filter((one) => !left.has(String(one.id)));
  const make = useAct((body: NewQueue) => createQueue(body), {
    changes: [reviewKeys.queues],
    job: ({ job }) => job,
    done: onClose,
  });
  return (
    <Form
      of={make}
      act="Make the queue"
      isDisabled={!set || !(programs || chosen.length)}
      onClose={onClose}
      onSend={() => {
        if (!graph || !set || !(programs || chosen.length)) return;
        make.mutate({
          graph: Number(graph),
          question_set: set.id,
          kind,
          label_sets: chosen.map((one) => one.id),
          ordering,
          overlap: Number(overlap),
        });
      }}
    >
      <PickField
        label="What is judged"
        options={KINDS}
        value={kind}
        onChange={(id) => setKind(id as QueueKind)}
      />
      <div className="fields">
        <PickField
          label="Graph"
          options={named(ready)}
          value={graph}
          onChange={(id) => {
            setGraph(id);
            setSet(null);
          }}
        />
        <PickField
          label="Question set"
          options={usable.map((one) => ({
            id: String(one.id),
            label: one.name,
            detail: count(one.questions, "question"),
          }))}
          value={set?.id}
          onChange={setSet}
        />
      </div>
      {programs && sets.data && !set && (
        <p className="bad-text">
          This graph has no question set. Upload one on the{" "}
          <Link to={`/graphs/${graph ?? ""}`}>graph’s page</Link>.
        </p>
      )}
      {!programs && labels.data && sets.data && !set && (
        <p className="bad-text">
          This graph has no labelled question set. Label one on the{" "}
          <Link to={`/graphs/${graph ?? ""}`}>graph’s page</Link>: its paths are what is judged.
        </p>
      )}
      {offered.length > 0 && (
        <fieldset className="choices">
          <legend className="label">Paths from</legend>
          {offered.map((one) => (
            <label key={one.id} className="check">
              <input
                type="checkbox"
                checked={!left.has(String(one.id))}
                onChange={() => {
                  const next = new Set(left);
                  if (!next.delete(String(one.id))) next.add(String(one.id));
                  setLeft(next);
                }}
              />
              <bdi>{one.name}</bdi> <span className="muted small">{count(one.labels, "path")}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div className="fields">
        <PickField
          label="Order"
          options={ORDERINGS}
          value={ordering}
          onChange={(id) => setOrdering(id as Ordering)}
        />
        <PickField
          label="Analysts per question"
          options={["1", "2", "3", "4", "5"].map((id) => ({ id, label: id }))}
          value={overlap}
          onChange={setOverlap}
        />
      </div>
    </Form>
  );
}

export function CreateQueue({ isOpen, onClose }: DialogProps) {
  return (
    <Modal title="New review queue" isOpen={isOpen} onClose={onClose}>
      <QueueForm onClose={onClose} />
    </Modal>
  );
}
