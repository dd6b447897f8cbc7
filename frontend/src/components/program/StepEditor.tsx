// One step of a program, open for changes: each part that can be another one, and whether the step stays.
import type { Graph } from "@/api/types";
import { EntityPicker } from "@/components/ask/EntityPicker";
import { Button, PickField } from "@/components/kit/controls";
import { TextField } from "@/components/kit/TextField";
import { at, placeKey, type Edit, type Field, type ProgramNode, type Relation } from "@/view/program";
import {
  kindOf,
  shownConstant,
  typedConstant,
  typedText,
  typedWhole,
  unitOf,
  type Typed,
} from "@/view/programValues";
import { RelationField, relationLabel, type Relations } from "./RelationField";
import type { ProgramEdit } from "./useProgramEdit";

interface Props {
  step: number;
  program: ProgramNode;
  fields: readonly Field[];
  drop: Edit | null;
  edit: ProgramEdit;
  graph: Graph | undefined;
  relations: Relations;
}

const CONSTANTS = { number: "Number", date: "Date", time: "Time", "month-day": "Day of the year" };

export function StepEditor({ step, program, fields, drop, edit, graph, relations }: Props) {
  /** What stands at the field's place now: its change, or as it was read. */
  const now = (field: Field): unknown => {
    const changed = edit.edits.findLast((one) => placeKey(one.at) === placeKey(field.at));
    return changed?.kind === "set" ? changed.value : at(program, field.at);
  };
  const put = (field: Field, value: unknown, said: string, text?: string) =>
    edit.change({ edit: { kind: "set", at: field.at, value }, step, said }, text);
  const typing = <T,>(field: Field, read: (text: string) => Typed<T>, label: string, shown: string) => {
    const typed = edit.typed[placeKey(field.at)];
    return (
      <TextField
        key={placeKey(field.at)}
        label={label}
        value={typed?.text ?? shown}
        error={typed?.error ?? undefined}
        autoComplete="off"
        onChange={(text) => {
          const { value, error } = read(text);
          if (error === undefined) put(field, value, `${label.toLowerCase()} ${text.trim()}`, text);
          else edit.refuse(field.at, step, text, error);
        }}
      />
    );
  };
  return (
    <div className="step-editor" role="group" aria-label={`Change step ${step + 1}`}>
      {fields.map((field) => {
        const value = now(field);
        switch (field.kind) {
          case "relation": {
            const relation = value as Relation;
            return (
              <RelationField
                key={placeKey(field.at)}
                label={field.label}
                value={relation}
                relations={relations}
                onChange={(next) =>
                  put(
                    field,
                    next,
                    next.name === relation.name
                      ? `${relationLabel(relations, next.name)} the other way`
                      : relationLabel(relations, next.name),
                  )
                }
              />
            );
          }
          case "entity":
            return (
              <div key={placeKey(field.at)} className="field">
                <span className="label">{field.label}</span>
                <span className="row">
                  <bdi className="strong">{String(value)}</bdi>
                  <EntityPicker
                    graph={graph ? String(graph.id) : null}
                    button="Swap"
                    label={`Swap ${String(value)} for another entity`}
                    onPick={(match) => put(field, match.label, match.label)}
                  />
                </span>
              </div>
            );
          case "choice":
            return (
              <PickField
                key={placeKey(field.at)}
                label={field.label}
                options={field.options.map((one) => ({ id: String(one.value), label: one.label }))}
                value={String(value)}
                onChange={(id) => {
                  const chosen = field.options.find((one) => String(one.value) === id);
                  if (chosen) put(field, chosen.value, chosen.label);
                }}
              />
            );
          case "whole":
            return typing(field, typedWhole, field.label, String(value));
          case "text":
            return typing(field, typedText, field.label, String(value));
          case "constant": {
            const unit = unitOf(field.value);
            return typing(
              field,
              (text) => typedConstant(field.value, text),
              `${CONSTANTS[kindOf(field.value)]}${unit && ` (${unit})`}`,
              shownConstant(value as ProgramNode),
            );
          }
        }
      })}
      {drop && (
        <Button size="small" icon="minus" onPress={() => edit.change({ edit: drop, step, said: "left out" })}>
          Leave this step out
        </Button>
      )}
      {!fields.length && !drop && <p className="small muted">Nothing of this step can be changed.</p>}
    </div>
  );
}
