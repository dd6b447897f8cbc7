// Ask one question of several methods at once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ask, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { askBody, type Draft } from "@/components/ask/draft";
import { Button, Modal } from "@/components/kit/controls";
import { ErrorNotice, Notice, troubleOf } from "@/components/kit/says";
import { count } from "@/store/format";
import { standing, type MethodChoice } from "@/store/methods";
import { COMPARED_MAX } from "@/store/overlay";
import { toast } from "@/store/toasts";

interface Props {
  graph: Graph;
  draft: Draft;
  choices: readonly MethodChoice[];
  onClose: () => void;
}

/** Ask `methods` at once; the runs that started. Throws the first refusal when none did. */
async function askAll(graph: Graph, draft: Draft, methods: readonly string[]): Promise<string[]> {
  const asked = await Promise.allSettled(
    methods.map((method) => ask(askBody({ ...draft, method, checkpoint: null }, graph.id))),
  );
  const refused = asked.flatMap((one, place) =>
    one.status === "rejected" ? [`${methods[place]}: ${troubleOf(one.reason).message}`] : [],
  );
  const runs = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
  if (!runs.length) throw new Error(refused.join(" "));
  for (const text of refused) toast(`Not asked. ${text}`);
  return runs;
}

function CompareForm({ graph, draft, choices, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const usable = choices.filter((choice) => choice.available);
  const trained = usable.filter((choice) => choice.checkpoints.length > 0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set((trained.length > 1 ? trained : []).slice(0, COMPARED_MAX).map((choice) => choice.id)),
  );
  const start = useMutation({
    mutationFn: () =>
      askAll(
        graph,
        draft,
        usable.filter((choice) => picked.has(choice.id)).map((choice) => choice.id),
      ),
    onSuccess: (runs) => {
      void client.invalidateQueries({ queryKey: keys.runs });
      onClose();
      void navigate(`/compare?runs=${runs.join(",")}`);
    },
  });
  const full = picked.size >= COMPARED_MAX;
  const question = draft.question.trim();
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
          <label key={choice.id} className="choice">
            <input
              type="checkbox"
              checked={picked.has(choice.id)}
              disabled={full && !picked.has(choice.id)}
              onChange={() => {
                const next = new Set(picked);
                if (!next.delete(choice.id)) next.add(choice.id);
                setPicked(next);
              }}
            />
            <span className="two">
              <span>
                {choice.label} <span className="muted mono">{choice.id}</span>
              </span>
              <small className="muted">{choice.description}</small>
            </span>
            <span className={`badge ${choice.checkpoints.length ? "good" : ""}`}>{standing(choice)}</span>
          </label>
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
