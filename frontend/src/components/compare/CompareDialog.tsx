// Ask one question of several methods at once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { compareMethods, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { askedBody, type Draft } from "@/components/ask/draft";
import { CheckpointPick } from "@/components/kit/CheckpointPick";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Notice } from "@/components/kit/says";
import { count } from "@/store/format";
import { chosenCheckpoint, standing, type MethodChoice } from "@/store/methods";
import { COMPARED_MAX } from "@/store/overlay";

interface Props {
  graph: Graph;
  draft: Draft;
  choices: readonly MethodChoice[];
  onClose: () => void;
}

interface ChoiceProps {
  choice: MethodChoice;
  checked: boolean;
  full: boolean;
  checkpoint: string | null;
  onToggle: () => void;
  onCheckpoint: (id: string) => void;
}

function Choice({ choice, checked, full, checkpoint, onToggle, onCheckpoint }: ChoiceProps) {
  const chosen = chosenCheckpoint(choice, checkpoint);
  return (
    <div className="choice">
      <label>
        <input type="checkbox" checked={checked} disabled={full && !checked} onChange={onToggle} />
        <span className="two">
          <span>
            {choice.label} <span className="muted mono">{choice.id}</span>
          </span>
          <small className="muted">{choice.description}</small>
        </span>
        {!chosen && <span className="badge">zero-shot</span>}
        {choice.checkpoints.length === 1 && <span className="badge good">{standing(choice)}</span>}
      </label>
      {chosen && choice.checkpoints.length > 1 && (
        <CheckpointPick
          label={`Checkpoint of ${choice.label}`}
          checkpoints={choice.checkpoints}
          value={chosen}
          onChange={onCheckpoint}
        />
      )}
    </div>
  );
}

function CompareForm({ graph, draft, choices, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const usable = choices.filter((choice) => choice.available);
  const trained = usable.filter((choice) => choice.checkpoints.length > 0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set((trained.length > 1 ? trained : []).slice(0, COMPARED_MAX).map((choice) => choice.id)),
  );
  const [checkpoints, setCheckpoints] = useState<Record<string, string>>({});
  const question = draft.question.trim();
  const start = useMutation({
    mutationFn: () => {
      const methods = usable
        .filter((choice) => picked.has(choice.id))
        .map((choice) => {
          const chosen = chosenCheckpoint(choice, checkpoints[choice.id] ?? null);
          return { method: choice.id, ...(chosen && { checkpoint: chosen.id }) };
        });
      return compareMethods({ ...askedBody(draft, graph.id), methods });
    },
    onSuccess: (group) => {
      client.setQueryData([...keys.comparisons, group.id], group);
      onClose();
      void navigate(`/compare/${group.id}`);
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <p>
        {question ? <>“{question}”</> : <span className="bad-text">Type a question first.</span>}{" "}
        <span className="muted">on {graph.name}</span>
      </p>
      <fieldset className="choices">
        <legend className="label">
          Methods, up to {COMPARED_MAX} ({picked.size} chosen)
        </legend>
        {usable.map((choice) => (
          <Choice
            key={choice.id}
            choice={choice}
            checked={picked.has(choice.id)}
            full={picked.size >= COMPARED_MAX}
            checkpoint={checkpoints[choice.id] ?? null}
            onToggle={() => {
              const next = new Set(picked);
              if (!next.delete(choice.id)) next.add(choice.id);
              setPicked(next);
            }}
            onCheckpoint={(id) => {
              setCheckpoints({ ...checkpoints, [choice.id]: id });
            }}
          />
        ))}
      </fieldset>
      {trained.length < 2 && (
        <Notice
          tone="info"
          title={`${trained.length === 0 ? "No method is" : "Only one method is"} trained on ${graph.name}`}
        >
          The others are asked zero-shot, with the text encoder alone. Train them on the graph’s page for a
          fair comparison.
        </Notice>
      )}
      {start.error && <ErrorNotice error={start.error} />}
      <div className="foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={picked.size < 2 || !question || start.isPending}>
          {picked.size < 2 ? "Choose two or more" : `Ask ${count(picked.size, "method")}`}
        </Button>
      </div>
    </form>
  );
}

export function CompareDialog({ isOpen, ...props }: Props & { isOpen: boolean }) {
  return (
    <Modal title="Compare methods on this question" isOpen={isOpen} onClose={props.onClose}>
      <CompareForm {...props} />
    </Modal>
  );
}
