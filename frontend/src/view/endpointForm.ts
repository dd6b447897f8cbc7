// An endpoint as an administrator types it: text in, a connection and complaints out.
import type { Connection, Endpoint } from "@/api/types";

export interface EndpointForm {
  name: string;
  url: string;
  named_graph: string;
  languages: string;
  hops: string;
  max_triples: string;
  per_entity: string;
  timeout: string;
}

export const blankForm: EndpointForm = {
  name: "",
  url: "",
  named_graph: "",
  languages: "en",
  hops: "2",
  max_triples: "5000",
  per_entity: "100",
  timeout: "20",
};

const RANGES: Partial<Record<keyof EndpointForm, [least: number, most: number]>> = {
  hops: [1, 4],
  max_triples: [1, 100_000],
  per_entity: [1, 10_000],
  timeout: [0.5, 60],
};
const LANGUAGE = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

export function formOf(name: string, endpoint: Endpoint): EndpointForm {
  return {
    name,
    url: endpoint.url,
    named_graph: endpoint.named_graph,
    languages: endpoint.languages.join(", "),
    hops: String(endpoint.hops),
    max_triples: String(endpoint.max_triples),
    per_entity: String(endpoint.per_entity),
    timeout: String(endpoint.timeout),
  };
}

function languagesOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter(Boolean);
}

/** What is wrong with each field, as a sentence; nothing for those that can be sent. */
export function complaints(form: EndpointForm): Partial<Record<keyof EndpointForm, string>> {
  const wrong: Partial<Record<keyof EndpointForm, string>> = {};
  if (!form.name.trim()) wrong.name = "Give the graph a name.";
  if (!/^https?:\/\/[^\s/]+/.test(form.url.trim())) wrong.url = "Type an address of http or https.";
  const odd = languagesOf(form.languages).find((one) => !LANGUAGE.test(one));
  if (odd) wrong.languages = `“${odd}” is no language. Write en, de, pt-BR or their like.`;
  for (const [name, [least, most]] of Object.entries(RANGES) as [keyof EndpointForm, [number, number]][]) {
    const text = form[name].trim();
    const value = Number(text);
    const whole = name === "timeout" || Number.isInteger(value);
    if (!text || !Number.isFinite(value) || !whole || value < least || value > most)
      wrong[name] =
        `Type a ${name === "timeout" ? "" : "whole "}number from ${least} to ${most.toLocaleString("en")}.`;
  }
  return wrong;
}

/** The connection of a form without complaints. */
export function connectionOf(form: EndpointForm): Connection {
  return {
    url: form.url.trim(),
    named_graph: form.named_graph.trim(),
    languages: languagesOf(form.languages),
    hops: Number(form.hops),
    max_triples: Number(form.max_triples),
    per_entity: Number(form.per_entity),
    timeout: Number(form.timeout),
  };
}
