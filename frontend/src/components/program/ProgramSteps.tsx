// The steps of a program, innermost first, each with what it kept. One at a time is chosen, by a click or the arrow keys.
import { useRef, useState, type KeyboardEvent } from "react";
import type { ProgramExecuted, ProgramStep } from "@/api/events";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { Icon } from "@/components/kit/Icon";
import { dropOf, fieldsOf, type ProgramNode } from "@/view/program";
import { pressedKey } from "@/view/keys";
import { NodeList } from "./NodeList";
import { emptyStep, keptNothing, outcomeOf, stepText } from "./programWords";
import { useRelations } from "./RelationField";
import { StepEditor } from "./StepEditor";
import type { ProgramEdit } from "./useProgramEdit";

interface Props {
  program: ProgramExecuted;
  chosen: number | null;
  onChoose: (step: number | null) => void;
  onFind?: ((entity: number) => void) | undefined;
  graph: Graph | undefined;
  /** Changes of it; null where it cannot be run again. */
  edit: ProgramEdit | null;
}

const LEAPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

function Outcome({ step, none }: { step: ProgramStep; none: boolean }) {
  return (
    <span className={`program-kept tabular ${none ? "badge warn" : ""}`}>
      {none && <Icon name="warn" />}
      {outcomeOf(step)}
    </span>
  );
}

export function ProgramSteps({ program, chosen, onChoose, onFind, graph, edit }: Props) {
  const { steps } = program;
  const [open, setOpen] = useState<number | null>(null);
  const relations = useRelations(graph, open !== null);
  const buttons = useRef<(HTMLButtonElement | null)[]>([]);
  const asRead = program.read.program as ProgramNode;
  const told = steps.map((step) => step.path);
  const isEmpty = emptyStep(program) >= 0;

  const onKey = (event: KeyboardEvent, index: number) => {
    const next = LEAPS[pressedKey(event)]?.(index, steps.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    buttons.current[next]?.focus();
    onChoose(next);
  };

  return (
    <ol className="program-steps">
      {steps.map((step, index) => {
        const changes = edit?.changes.filter((one) => one.step === index) ?? [];
        const drop = dropOf(asRead, step.path, told);
        // Two steps may be the two sides of one operation: when one is left out, the other stays.
        const gone = changes.some((one) => one.edit.kind === "drop");
        const taken =
          drop !== null &&
          edit?.edits.some((one) => one.kind === "drop" && one.at.join(".") === drop.at.join("."));
        const isOpen = open === index && edit !== null;
        const on = chosen === index;
        return (
          <li
            key={step.path.join(".") || "end"}
            className={`program-step ${on ? "on" : ""} ${gone ? "gone" : ""}`}
          >
            <div className="program-line">
              <button
                ref={(element) => {
                  buttons.current[index] = element;
                }}
                type="button"
                className="program-say"
                aria-pressed={on}
                onClick={() => onChoose(on ? null : index)}
                onKeyDown={(event) => onKey(event, index)}
              >
                <span className="program-number tabular" aria-hidden="true">
                  {index + 1}
                </span>
                <span className="program-text">
                  <bdi>{stepText(step)}</bdi>
                </span>
                <Outcome step={step} none={isEmpty && keptNothing(step)} />
              </button>
              {edit && (
                <Button
                  look="plain"
                  size="small"
                  aria-label={`Change step ${index + 1}: ${stepText(step)}`}
                  aria-expanded={isOpen}
                  onPress={() => setOpen(isOpen ? null : index)}
                >
                  {isOpen ? "Close" : "Change"}
                </Button>
              )}
            </div>
            {changes.length > 0 && (
              <p className="program-changes small">
                <span className="badge accent">changed</span> {changes.map((one) => one.said).join("; ")}
              </p>
            )}
            {isOpen && !gone && (
              <StepEditor
                step={index}
                program={asRead}
                fields={fieldsOf(asRead, step.path, told).filter((field) => !edit.isDropped(field.at))}
                drop={taken ? null : drop}
                edit={edit}
                graph={graph}
                relations={relations}
              />
            )}
            {on && step.nodes.length > 0 && (
              <NodeList
                label={`Kept by step ${index + 1}`}
                nodes={step.nodes}
                total={step.count}
                onFind={onFind}
              />
            )}
          </li>
        );
      })}
    </ol>
  );
}
