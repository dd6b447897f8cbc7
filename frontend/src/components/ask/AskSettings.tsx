// How a question is asked, beside its words: what stands behind the gear of the bar.
import { Dialog } from "react-aria-components";
import type { Checkpoint, Status } from "@/api/types";
import { PickField } from "@/components/kit/controls";
import { ModelField } from "@/components/kit/asking";
import { TextField } from "@/components/kit/TextField";
import { integer } from "@/view/format";
import { readiness, type MethodChoice } from "@/view/methods";
import { MethodSettings } from "./MethodSettings";
import { asksModel, reasonerChoices } from "@/view/reasoners";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  status: Status | undefined;
  method: MethodChoice | undefined;
  checkpoint: Checkpoint | null;
  /** Methods that the menu does not offer. */
  folded: readonly MethodChoice[];
  /** The graph lives in an endpoint. */
  remote: boolean;
}

/** Budget, seed, reasoner, language model, and the settings of the method. */
export function AskSettings({ draft, onDraft, status, method, checkpoint, folded, remote }: Props) {
  const budgets = status?.budgets ?? { default: 50, max: 1200 };
  return (
    <Dialog aria-label="How to ask" className="dialog narrow">
      <TextField
        label="Triple budget"
        id="budget"
        type="number"
        min={1}
        max={budgets.max}
        value={draft.budget ?? budgets.default}
        onChange={(text) => {
          const value = Math.round(parseFloat(text));
          if (value >= 1) onDraft({ budget: Math.min(value, budgets.max) });
        }}
        numeric
        hint={
          <>Facts a retriever may return, 1 to {integer(budgets.max)}. More finds more, and takes longer.</>
        }
      />
      <TextField
        label="Seed"
        id="seed"
        type="number"
        min={0}
        value={draft.seed}
        onChange={(text) => {
          const value = Math.round(parseFloat(text));
          if (value >= 0) onDraft({ seed: value });
        }}
        numeric
        hint={
          remote
            ? "The same question and seed give the same result while the endpoint holds the same facts."
            : "The same question, snapshot, checkpoint and seed give the same result."
        }
      />
      <PickField
        label="Reasoner"
        options={reasonerChoices(
          Boolean(status?.llm.configured),
          method === undefined || method.takesWrittenPrograms,
        ).map((one) => ({
          ...one,
          ...(one.id === "llm" && !one.disabled && status?.llm.model && { detail: status.llm.model }),
        }))}
        value={draft.reasoner ?? "extractive"}
        onChange={(reasoner) => onDraft({ reasoner })}
      />
      {(asksModel(draft.reasoner) || method?.asksModel) && (
        <ModelField least={2} marksDefault value={draft.llm} onChange={(llm) => onDraft({ llm })} />
      )}
      {method && (
        <MethodSettings
          method={method}
          checkpoint={checkpoint}
          typed={draft.options}
          onChange={(options) => onDraft({ options, method: method.id })}
        />
      )}
      {folded.length > 0 && (
        <details className="other-methods">
          <summary>Research methods ({folded.length})</summary>
          {folded.map((choice) => (
            <label
              key={choice.id}
              htmlFor={`method-${choice.id}`}
              className="check"
              title={choice.description}
            >
              <input
                type="radio"
                id={`method-${choice.id}`}
                name="method"
                aria-label={choice.label}
                checked={choice.id === method?.id}
                onChange={() => onDraft({ method: choice.id, checkpoint: null, options: {} })}
              />
              <span className="two">
                <span>
                  {choice.label} <span className="badge">{readiness(choice)}</span>
                </span>
                <small className="muted">{choice.description}</small>
              </span>
            </label>
          ))}
        </details>
      )}
    </Dialog>
  );
}
