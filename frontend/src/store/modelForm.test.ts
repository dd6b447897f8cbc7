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
  changed_at: "2026-01-05T12:00:00Z",
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
    base_url: "An address that begins with http:// or https://.",
    context_length: "A whole number, 0 or more.",
    prompt_price: "A number, 0 or more, or empty.",
  });
});
