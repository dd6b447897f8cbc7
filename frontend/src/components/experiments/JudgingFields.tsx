// Of an evaluation: what a language model is asked of the answers, and how a checkpoint of another graph is used.
import type { Judgement } from "@/api/reportTypes";
import { SomeOf } from "@/components/kit/Choices";
import { PickField } from "@/components/kit/controls";
import { FOREIGN, JUDGEMENTS } from "@/view/judgements";

interface Props {
  judgements: readonly Judgement[];
  onJudgements: (ids: Judgement[]) => void;
  /** Whether there is a language model to ask. */
  configured: boolean;
  foreign: "zero-shot" | "ask";
  onForeign: (id: "zero-shot" | "ask") => void;
  /** Whether there is a checkpoint to ask. */
  trained: boolean;
}

export function JudgingFields({ judgements, onJudgements, configured, foreign, onForeign, trained }: Props) {
  const changed = (judgements.length ? 1 : 0) + (foreign === "ask" ? 1 : 0);
  return (
    <details className="more">
      <summary>
        Judged by a language model, and checkpoints of other graphs
        {changed > 0 && <span className="badge accent">{changed} changed</span>}
      </summary>
      <SomeOf
        label="Ask a language model of the answers"
        options={JUDGEMENTS}
        value={judgements}
        onChange={onJudgements}
        isDisabled={!configured}
      />
      {!configured && (
        <p className="hint">No language model is set up: an admin can, under Language models.</p>
      )}
      {trained && (
        <PickField
          label="A checkpoint of a graph of other relations is asked"
          options={[...FOREIGN]}
          value={foreign}
          onChange={(id) => onForeign(id === "ask" ? "ask" : "zero-shot")}
        />
      )}
    </details>
  );
}
