// What a checkpoint gains over what answered before it, and asking for that comparison.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { compareCheckpoint, keys, questionSetsQuery } from "@/api/queries";
import type { Checkpoint } from "@/api/types";
import { Form } from "@/components/kit/Form";
import { Modal, PickField, named } from "@/components/kit/controls";
import { useAct } from "@/components/kit/useAct";
import { detailOf, figuresOf, intervalOf, verdictOf } from "@/view/checkpointGain";

const LOOKS = { better: "badge good", worse: "badge bad", "no clear difference": "badge" } as const;

export function Gain({ checkpoint, all }: { checkpoint: Checkpoint; all: readonly Checkpoint[] }) {
  const gain = checkpoint.comparison;
  if (!gain) return <span className="muted">{checkpoint.in_use ? "–" : "Not compared"}</span>;
  if (gain.state === "running") return <span className="muted">Being compared…</span>;
  if (gain.state !== "done")
    return <Link to={`/experiments/${gain.after}`}>The comparison {gain.state}</Link>;
  const verdict = verdictOf(gain);
  return (
    <>
      <span className="tabular nowrap">{figuresOf(gain)}</span>{" "}
      <span className={LOOKS[verdict]}>{verdict}</span>
      <div className="small muted" title={detailOf(gain, all)}>
        <span className="nowrap">{intervalOf(gain)}</span>{" "}
        <Link className="nowrap" to={`/experiments/compare?ids=${gain.before},${gain.after}`}>
          Question by question
        </Link>
      </div>
    </>
  );
}

function CompareForm({ checkpoint, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  const found = useQuery(questionSetsQuery(checkpoint.graph));
  const [id, setId] = useState<string | null>(null);
  const sets = (found.data?.results ?? []).filter(({ splits }) => splits.test || splits.dev);
  const chosen = sets.find((one) => String(one.id) === (id ?? String(checkpoint.question_set))) ?? sets[0];
  const start = useAct(() => compareCheckpoint(checkpoint.id, chosen?.id ?? 0), {
    changes: [keys.checkpoints],
    done: onClose,
  });
  return (
    <Form of={start} act="Compare" isDisabled={!chosen} onClose={onClose}>
      <p className="muted">
        What answers now, programs and untrained answering included, and this checkpoint are asked the same
        held-out questions, at most 300.
      </p>
      {chosen && (
        <PickField label="Questions of" options={named(sets)} value={String(chosen.id)} onChange={setId} />
      )}
      {found.data && !chosen && (
        <p className="warn-text">
          No question set of this graph has test or dev questions. Upload one with questions that nothing was
          trained on.
        </p>
      )}
    </Form>
  );
}

export function CompareDialog({ checkpoint, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  return (
    <Modal title="Compare with what answers now" isOpen onClose={onClose}>
      <CompareForm checkpoint={checkpoint} onClose={onClose} />
    </Modal>
  );
}
