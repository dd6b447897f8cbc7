import { expect, it } from "vitest";
import type { LanguageModel } from "@/api/languageModels";
import { blankForm, bodyOf, complaints, formOf } from "./modelForm";

const stored: LanguageModel = {
  id: 3,
  name: "Local",
  model: "qwen3:8b",
  source: "page",
  enabled: true,
  default: false,
  context_length: 8192,
  base_url: "http://localhost:11434/v1",
  key_set: true,
  prompt_price: null,
  completion_price: 0.5,
  requests_per_minute: 60,
  constraints: "schema",
  silence_timeout: 45.5,
  total_timeout: 300,
  loading_timeout: 0,
  max_tokens: 2048,
  temperature: 0.7,
  changed_at: "2026-01-05T12:00:00Z",
  failure: null,
};

it("sends what is stored as it is, and no key unless one was typed", () => {
  expect(bodyOf(formOf(stored), false)).toEqual({
    name: "Local",
    base_url: "http://localhost:11434/v1",
    model: "qwen3:8b",
    context_length: 8192,
    prompt_price: null,
    completion_price: 0.5,
    requests_per_minute: 60,
    constraints: "schema",
    silence_timeout: 45.5,
    total_timeout: 300,
    loading_timeout: 0,
    max_tokens: 2048,
    temperature: 0.7,
    enabled: true,
    default: false,
  });
});

it("sends a typed key, and an empty one to take the stored one away", () => {
  expect(bodyOf({ ...formOf(stored), api_key: " sk-1 " }, false).api_key).toBe("sk-1");
  expect(bodyOf({ ...formOf(stored), api_key: "sk-1" }, true).api_key).toBe("");
});

it("names every field that cannot be sent", () => {
  expect(complaints(formOf(stored))).toEqual({});
  expect(
    complaints({ ...blankForm, base_url: "localhost", context_length: "-1", prompt_price: "much" }),
  ).toEqual({
    name: "This is needed.",
    model: "This is needed.",
    base_url: "An address that begins with http:// or https://, or plugin: and the name of a plug-in.",
    context_length: "A whole number, 0 or more.",
    prompt_price: "A number, 0 or more, or empty.",
  });
});

it("names each limit that is out of its range", () => {
  const typed = {
    ...formOf(stored),
    silence_timeout: "0",
    max_tokens: "20.5",
    temperature: "",
    total_timeout: "1e9",
  };
  expect(complaints(typed)).toEqual({
    silence_timeout: "A number from 0.1 to 3,600.",
    total_timeout: "A number from 0.1 to 86,400.",
    max_tokens: "A whole number from 16 to 1,000,000.",
    temperature: "A number from 0 to 2.",
  });
});
