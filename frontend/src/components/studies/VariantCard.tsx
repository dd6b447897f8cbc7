// A variant in the form of a study: what it trains, by which labels, and how it is asked.
import type { LabelStrategy, MethodInfo } from "@/api/types";
import { IconButton, PickField, type Option } from "@/components/kit/controls";
import { MethodField } from "@/components/kit/asking";
import { FormPick } from "@/components/kit/FormPick";
import { SettingsForm } from "@/components/kit/SettingsForm";
import { TextField } from "@/components/kit/TextField";
import { methodLabel } from "@/components/kit/useMethodName";
import { reasonerChoices } from "@/view/reasoners";
import { inForm } from "@/view/settingsForm";
import { UNTRAINED, type Draft, type DraftVariant, type Known } from "@/view/studies";

const SAME = "same";
const DEFAULT = "default";
const PROMPTS = ["reg", "rapl", "rel-rag"];

interface Props {
  one: DraftVariant;
  draft: Draft;
  methods: readonly MethodInfo[];
  strategies: readonly LabelStrategy[];
  detail: Known[string] | undefined;
  llm: boolean;
  wrong: string | null;
  onChange: (change: Partial<DraftVariant>) => void;
  onCopy: () => void;
  onRemove: (() => void) | undefined;
}

/** Whose checkpoints can be asked: its own, none, or those of a variant of the same method. */
function askedChoices(one: DraftVariant, draft: Draft): Option[] {
  const others = draft.variants.filter(
    (other) => other.key !== one.key && other.method === one.method && other.asks === "" && other.name.trim(),
  );
  return [
    { id: SAME, label: "Its own", detail: "Trained for this variant" },
    { id: UNTRAINED, label: "None", detail: "Asked untrained" },
    ...others.map((other) => ({
      id: other.name.trim(),
      label: `Those of ${other.name.trim()}`,
      detail: "The same weights, asked in another way",
    })),
  ];
}

/** A variant that is called as its method goes on being so. */
function renamed(one: DraftVariant, methods: readonly MethodInfo[], method: string): Partial<DraftVariant> {
  const asMethod = one.name === "" || one.name === methodLabel(methods, one.method);
  return asMethod ? { name: methodLabel(methods, method) } : {};
}

export function VariantCard({ one, draft, methods, strategies, detail, llm, wrong, ...acts }: Props) {
  const { onChange, onCopy, onRemove } = acts;
  const info = methods.find((method) => method.id === one.method);
  const trained = info?.trained ?? true;
  const own = trained && one.asks === "";
  const labelled = draft.sets.some((id) => draft.labels[id] !== undefined);
  const settings = inForm(detail?.settings ?? [], one.trainingForm, detail?.paper_settings);
  const options = inForm(detail?.options ?? [], one.askingForm, detail?.paper_options);
  return (
    <fieldset className="variant">
      <legend className="sr-only">Variant {one.name}</legend>
      <div className="fields variant-head">
        <TextField
          label="Name"
          value={one.name}
          autoComplete="off"
          maxLength={100}
          onChange={(name) => onChange({ name })}
          error={wrong}
        />
        <MethodField
          methods={methods}
          value={one.method}
          onChange={(method) => {
            const fresh = { asks: "", config: {}, options: {}, trainingForm: "", askingForm: "" };
            onChange({ ...fresh, ...renamed(one, methods, method), method });
          }}
        />
        {trained && (
          <PickField
            label="Checkpoints"
            options={askedChoices(one, draft)}
            value={one.asks || SAME}
            onChange={(id) => onChange({ asks: id === SAME ? "" : id })}
          />
        )}
        {own && (
          <PickField
            label="Labels"
            options={[
              {
                id: DEFAULT,
                ...(labelled
                  ? { label: "The chosen label sets", detail: "As picked with the question sets" }
                  : {
                      label: "As training does",
                      detail: "Gold paths where there are some, else answer sets",
                    }),
              },
              ...strategies.map((strategy) => ({
                id: strategy.id,
                label: strategy.label,
                detail: strategy.description,
                disabled: !strategy.available,
              })),
            ]}
            value={one.strategy || DEFAULT}
            onChange={(id) =>
              onChange({
                strategy: id === DEFAULT ? "" : id,
                prompt: id === "llm" ? one.prompt || "reg" : "",
              })
            }
          />
        )}
        {own && one.strategy === "llm" && (
          <PickField
            label="Prompt"
            options={PROMPTS.map((id) => ({ id, label: id }))}
            value={one.prompt || "reg"}
            onChange={(prompt) => onChange({ prompt })}
          />
        )}
        <PickField
          label="Reasoner"
          options={[
            { id: SAME, label: "The study's" },
            ...reasonerChoices(llm, info?.takes_written_programs ?? true),
          ]}
          value={one.reasoner || SAME}
          onChange={(id) => onChange({ reasoner: id === SAME ? "" : id })}
        />
        <TextField
          label="Budget"
          numeric
          autoComplete="off"
          placeholder={draft.budget}
          value={one.budget}
          onChange={(budget) => onChange({ budget })}
        />
        <div className="variant-acts">
          <IconButton icon="copy" label="Copy this variant" onPress={onCopy} />
          {onRemove && <IconButton icon="trash" label="Remove this variant" onPress={onRemove} />}
        </div>
      </div>
      {own && settings.length > 0 && (
        <details className="more">
          <summary>Training settings{told(one.config, one.trainingForm)}</summary>
          {detail?.paper_settings && (
            <FormPick
              label="Form"
              value={one.trainingForm}
              onChange={(trainingForm) => onChange({ trainingForm })}
            />
          )}
          <SettingsForm settings={settings} typed={one.config} onChange={(config) => onChange({ config })} />
        </details>
      )}
      {options.length > 0 && (
        <details className="more">
          <summary>Settings of asking{told(one.options, one.askingForm)}</summary>
          {detail?.paper_options && (
            <FormPick
              label="Form of asking"
              value={one.askingForm}
              onChange={(askingForm) => onChange({ askingForm })}
            />
          )}
          <SettingsForm
            settings={options}
            typed={one.options}
            onChange={(asked) => onChange({ options: asked })}
          />
        </details>
      )}
    </fieldset>
  );
}

/** What was changed, in short. */
function told(typed: Readonly<Record<string, string>>, form: string): string {
  const changed = Object.entries(typed).filter(([, text]) => text.trim() !== "");
  const parts = [
    ...(form ? [`${form} form`] : []),
    ...changed.map(([name, text]) => `${name.replaceAll("_", " ")} ${text}`),
  ];
  return parts.length ? `: ${parts.join(", ")}` : "";
}
