// Ask one question of several methods at once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { compareMethods, keys } from "@/api/queries";
import type { Graph } from "@/api/types";
import { askedBody, type Draft } from "@/components/ask/draft";
import { CheckpointBadge } from "@/components/kit/CheckpointPick";
import { Modal } from "@/components/kit/controls";
import { Fingerprint, Notice } from "@/components/kit/feedback";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import { percent, relativeTime } from "@/view/format";
import { contenders, firstPick, type Contender, type MethodChoice } from "@/view/methods";
import { settingsText } from "@/view/settingsForm";
import { COMPARED_MAX } from "@/view/overlay";

interface Props {
  graph: Graph;
  draft: Draft;
  choices: readonly MethodChoice[];
  /** By method, the settings to ask it with that differ from its defaults. */
  settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  onClose: () => void;
}

function Choice({
  one: { choice, checkpoint },
  checked,
  full,
  set,
  onToggle,
}: {
  one: Contender;
  /** Its settings in words; "" for the defaults. */
  set: string;
  checked: boolean;
  full: boolean;
  onToggle: () => void;
}) {
  return (
    <div className="choice">
      <label>
        <input type="checkbox" checked={checked} disabled={full && !checked} onChange={onToggle} />
        <span className="two">
          <span>
            <bdi>{choice.label}</bdi> <span className="muted mono">{choice.id}</span>
            {set && <span className="badge accent">{set}</span>}
          </span>
          <small className="muted">
            {checkpoint
              ? `trained ${relativeTime(checkpoint.created_at)} on ${checkpoint.question_set_name}${
                  checkpoint.fraction < 1 ? `, ${percent(checkpoint.fraction)} of it` : ""
                }`
              : choice.description}
          </small>
        </span>
        {checkpoint ? (
          <span className="row">
            <CheckpointBadge checkpoint={checkpoint} /> <Fingerprint value={checkpoint.fingerprint} />
          </span>
        ) : (
          <span className="badge">{choice.trained ? "untrained" : "needs no training"}</span>
        )}
      </label>
    </div>
  );
}

function CompareForm({ graph, draft, choices, settings, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const all = contenders(choices);
  const trained = all.filter((one) => one.checkpoint !== null);
  // Checkpoints may come after the dialog: until something is chosen here, the proposal follows them.
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const picked = chosen ?? new Set(firstPick(all, COMPARED_MAX));
  const question = draft.question.trim();
  const start = useAct(
    () =>
      compareMethods({
        ...askedBody(draft, graph.id),
        methods: all
          .filter((one) => picked.has(one.key))
          .map(({ choice, checkpoint }) => ({
            method: choice.id,
            options: settings[choice.id] ?? {},
            ...(checkpoint && !checkpoint.in_use && { checkpoint: checkpoint.id }),
          })),
      }),
    {
      done: (group) => {
        client.setQueryData([...keys.comparisons, group.id], group);
        onClose();
        void navigate(`/compare/${group.id}`);
      },
    },
  );
  return (
    <Form
      of={start}
      act={picked.size < 2 ? "Choose two or more" : `Ask all ${picked.size}`}
      isDisabled={picked.size < 2 || !question}
      onClose={onClose}
    >
      <p>
        {question ? <>“{question}”</> : <span className="bad-text">Type a question first.</span>}{" "}
        <span className="muted">
          on <bdi>{graph.name}</bdi>
        </span>
      </p>
      <fieldset className="choices">
        <legend className="label">
          Methods and checkpoints, up to {COMPARED_MAX} ({picked.size} chosen)
        </legend>
        {all.map((one) => (
          <Choice
            key={one.key}
            one={one}
            checked={picked.has(one.key)}
            set={settingsText(settings[one.choice.id] ?? {})}
            full={picked.size >= COMPARED_MAX}
            onToggle={() => {
              const next = new Set(picked);
              if (!next.delete(one.key)) next.add(one.key);
              setChosen(next);
            }}
          />
        ))}
      </fieldset>
      {trained.length < 2 && (
        <Notice
          tone="info"
          title={`${graph.name} has ${trained.length === 0 ? "no checkpoint" : "only one checkpoint"}`}
        >
          A method without one is asked untrained, with the text encoder alone. Train on the{" "}
          <Link to={`/graphs/${graph.id}`}>graph’s page</Link> for a fair comparison.
        </Notice>
      )}
    </Form>
  );
}

export function CompareDialog({ isOpen, ...props }: Props & { isOpen: boolean }) {
  return (
    <Modal title="Compare methods on this question" isOpen={isOpen} onClose={props.onClose}>
      <CompareForm {...props} />
    </Modal>
  );
}
