// A language model as it is typed, and as it is sent.
import type { LanguageModel, LanguageModelBody } from "@/api/languageModels";
import { integer } from "./format";

export type Constraints = NonNullable<LanguageModel["constraints"]>;

/** The least and the most of each limit, as the server accepts them. */
const RANGES = {
  silence_timeout: [0.1, 3600],
  total_timeout: [0.1, 86_400],
  loading_timeout: [0, 3600],
  max_tokens: [16, 1_000_000],
  temperature: [0, 2],
} as const;

const LIMITS = Object.keys(RANGES) as (keyof typeof RANGES)[];

export interface ModelForm {
  name: string;
  base_url: string;
  model: string;
  api_key: string;
  context_length: string;
  prompt_price: string;
  completion_price: string;
  requests_per_minute: string;
  constraints: Constraints;
  silence_timeout: string;
  total_timeout: string;
  loading_timeout: string;
  max_tokens: string;
  temperature: string;
  enabled: boolean;
  default: boolean;
}

export const blankForm: ModelForm = {
  name: "",
  base_url: "",
  model: "",
  api_key: "",
  context_length: "0",
  prompt_price: "",
  completion_price: "",
  requests_per_minute: "0",
  constraints: "none",
  silence_timeout: "20",
  total_timeout: "120",
  loading_timeout: "120",
  max_tokens: "1024",
  temperature: "0",
  enabled: true,
  default: false,
};

const text = (value: number | null) => (value === null ? "" : String(value));

export function formOf(model: LanguageModel): ModelForm {
  return {
    name: model.name,
    base_url: model.base_url ?? "",
    model: model.model,
    api_key: "",
    context_length: String(model.context_length),
    prompt_price: text(model.prompt_price),
    completion_price: text(model.completion_price),
    requests_per_minute: String(model.requests_per_minute ?? 0),
    constraints: model.constraints ?? blankForm.constraints,
    silence_timeout: String(model.silence_timeout ?? blankForm.silence_timeout),
    total_timeout: String(model.total_timeout ?? blankForm.total_timeout),
    loading_timeout: String(model.loading_timeout ?? blankForm.loading_timeout),
    max_tokens: String(model.max_tokens ?? blankForm.max_tokens),
    temperature: String(model.temperature ?? blankForm.temperature),
    enabled: model.enabled,
    default: model.default,
  };
}

const price = (typed: string) => (typed.trim() ? Number(typed) : null);

/** What is sent: a key only when one was typed, "" when the stored one is taken away. */
export function bodyOf(form: ModelForm, withoutKey: boolean): LanguageModelBody {
  const { api_key, ...rest } = form;
  return {
    ...rest,
    name: form.name.trim(),
    base_url: form.base_url.trim(),
    model: form.model.trim(),
    context_length: Number(form.context_length),
    prompt_price: price(form.prompt_price),
    completion_price: price(form.completion_price),
    requests_per_minute: Number(form.requests_per_minute),
    silence_timeout: Number(form.silence_timeout),
    total_timeout: Number(form.total_timeout),
    loading_timeout: Number(form.loading_timeout),
    max_tokens: Number(form.max_tokens),
    temperature: Number(form.temperature),
    ...(withoutKey ? { api_key: "" } : api_key.trim() && { api_key: api_key.trim() }),
  };
}

/** The server of an address, which a key is sent to: scheme, host and port. */
export function serverOf(address: string): string {
  try {
    return new URL(address.trim()).origin;
  } catch {
    return "";
  }
}

/** What is wrong with what was typed, by field; {} when nothing is. */
export function complaints(form: ModelForm, needsKey = false): Partial<Record<keyof ModelForm, string>> {
  const wrong: Partial<Record<keyof ModelForm, string>> = {};
  if (needsKey && !form.api_key.trim())
    wrong.api_key = "The address is another server's: enter its key, or remove the stored one.";
  for (const name of ["name", "model"] as const) if (!form[name].trim()) wrong[name] = "This is needed.";
  if (!/^(https?:\/\/[^/\s]+|plugin:[a-z0-9-]+$)/.test(form.base_url.trim()))
    wrong.base_url = "An address that begins with http:// or https://, or plugin: and the name of a plug-in.";
  for (const name of ["context_length", "requests_per_minute"] as const)
    if (!/^\d+$/.test(form[name].trim())) wrong[name] = "A whole number, 0 or more.";
  for (const name of ["prompt_price", "completion_price"] as const)
    if (form[name].trim() && !(Number(form[name]) >= 0)) wrong[name] = "A number, 0 or more, or empty.";
  for (const name of LIMITS) {
    const [least, most] = RANGES[name];
    const typed = form[name].trim();
    const fits = typed !== "" && Number(typed) >= least && Number(typed) <= most;
    if (!fits || (name === "max_tokens" && !/^\d+$/.test(typed)))
      wrong[name] = `A${name === "max_tokens" ? " whole" : ""} number from ${least} to ${integer(most)}.`;
  }
  return wrong;
}
