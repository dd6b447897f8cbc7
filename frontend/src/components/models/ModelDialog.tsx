// A language model as an administrator enters it. Its key is written once and never shown again.
import { useState } from "react";
import { ApiError } from "@/api/client";
import { addModel, changeModel, modelKeys, type LanguageModel } from "@/api/languageModels";
import { keys } from "@/api/queries";
import { Modal, PickField, type DialogProps } from "@/components/kit/controls";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Form } from "@/components/kit/Form";
import {
  blankForm,
  bodyOf,
  complaints,
  formOf,
  serverOf,
  type Constraints,
  type ModelForm,
} from "@/view/modelForm";

interface FieldProps {
  name: keyof ModelForm;
  label: string;
  hint: string;
  type?: "password" | "url";
  numeric?: boolean;
}

const WHERE: FieldProps[] = [
  { name: "name", label: "Name", hint: "People choose the model by this name." },
  { name: "model", label: "Model", hint: "As the endpoint calls it, for example qwen3:8b." },
  {
    name: "base_url",
    label: "Address",
    type: "url",
    hint: "An OpenAI-compatible endpoint, for example http://localhost:11434/v1, or plugin: and the name of a plug-in.",
  },
];

const MEASURES: FieldProps[] = [
  { name: "context_length", label: "Context length", hint: "Tokens; 0 when it is not known.", numeric: true },
  { name: "requests_per_minute", label: "Requests a minute", hint: "0 for no limit.", numeric: true },
  {
    name: "prompt_price",
    label: "Price of reading",
    hint: "Per million tokens; leave it empty when it is not known.",
    numeric: true,
  },
  {
    name: "completion_price",
    label: "Price of writing",
    hint: "Per million tokens; leave it empty when it is not known.",
    numeric: true,
  },
];

const LIMITS: FieldProps[] = [
  {
    name: "max_tokens",
    label: "Longest reply",
    hint: "Tokens. Models that think first need more.",
    numeric: true,
  },
  {
    name: "temperature",
    label: "Temperature",
    hint: "0 for replies that repeat. Not sent to models that refuse it.",
    numeric: true,
  },
  { name: "silence_timeout", label: "Silence allowed", hint: "Seconds without a new word.", numeric: true },
  { name: "total_timeout", label: "Time for a reply", hint: "Seconds in all.", numeric: true },
  {
    name: "loading_timeout",
    label: "Time to load",
    hint: "Seconds to wait for an endpoint that says its model is loading.",
    numeric: true,
  },
];

const CONSTRAINTS = [
  { id: "none", label: "Nothing" },
  { id: "schema", label: "JSON schemas (OpenAI, vLLM, Ollama, llama.cpp)" },
  { id: "grammar", label: "JSON schemas and grammars (llama.cpp)" },
] as const;

function keyHint(model: LanguageModel | null, dropped: boolean, moved: boolean): string {
  if (dropped) return "The stored key will be removed.";
  if (moved) return "Another server is not sent the stored key: enter its key, or remove the stored one.";
  if (model?.key_set) return "A key is stored. Leave this empty to keep it.";
  return "Stored encrypted, and never shown again. Empty when the endpoint needs none.";
}

function ModelFields({ model, onClose }: { model: LanguageModel | null; onClose: () => void }) {
  const [form, setForm] = useState<ModelForm>(() => (model ? formOf(model) : blankForm));
  const [dropped, setDropped] = useState(false);
  const [tried, setTried] = useState(false);
  const moved = model?.key_set === true && serverOf(form.base_url) !== serverOf(model.base_url ?? "");
  const wrong = complaints(form, moved && !dropped);
  const save = useAct(
    () => {
      const body = bodyOf(form, dropped);
      return model ? changeModel(model.id, body) : addModel(body);
    },
    { changes: [modelKeys, keys.status], done: onClose },
  );
  const refused = save.error instanceof ApiError ? save.error.fields : {};
  const field = ({ name, label, hint, type, numeric }: FieldProps) => {
    return (
      <TextField
        key={name}
        label={label}
        id={`model-${name}`}
        numeric={numeric}
        type={type ?? "text"}
        inputMode={numeric ? "decimal" : undefined}
        autoComplete={type === "password" ? "new-password" : "off"}
        spellCheck={false}
        disabled={type === "password" && dropped}
        value={String(form[name])}
        onChange={(text) => setForm({ ...form, [name]: text })}
        hint={hint}
        error={(tried ? wrong[name] : undefined) ?? refused[name]?.[0]}
      />
    );
  };
  const check = (name: "enabled" | "default", label: string) => (
    <label className="check">
      <input
        type="checkbox"
        checked={form[name]}
        onChange={(event) => setForm({ ...form, [name]: event.target.checked })}
      />
      {label}
    </label>
  );
  return (
    <Form
      of={save}
      act={model ? "Save" : "Add"}
      noValidate
      onClose={onClose}
      onSend={() => {
        setTried(true);
        if (!Object.keys(wrong).length) save.mutate();
      }}
    >
      <div className="fields">{WHERE.slice(0, 2).map(field)}</div>
      {WHERE.slice(2).map(field)}
      {field({ name: "api_key", label: "Key", type: "password", hint: keyHint(model, dropped, moved) })}
      {model?.key_set && (
        <label className="check">
          <input type="checkbox" checked={dropped} onChange={(event) => setDropped(event.target.checked)} />
          Remove the stored key
        </label>
      )}
      <div className="fields">{MEASURES.slice(0, 2).map(field)}</div>
      <div className="fields">{MEASURES.slice(2).map(field)}</div>
      <div className="fields">{LIMITS.slice(0, 2).map(field)}</div>
      <div className="fields">{LIMITS.slice(2, 4).map(field)}</div>
      {LIMITS.slice(4).map(field)}
      <PickField
        label="Replies can be held to"
        options={CONSTRAINTS}
        value={form.constraints}
        onChange={(id) => setForm({ ...form, constraints: id as Constraints })}
      />
      <div className="row wrap apart">
        {check("enabled", "Can be asked")}
        {check("default", "The default: asked unless another is chosen")}
      </div>
    </Form>
  );
}

/** `model` null adds one. */
export function ModelDialog({ model, isOpen, onClose }: DialogProps & { model: LanguageModel | null }) {
  return (
    <Modal title={model ? `Change ${model.name}` : "Add a language model"} isOpen={isOpen} onClose={onClose}>
      <ModelFields model={model} onClose={onClose} />
    </Modal>
  );
}
