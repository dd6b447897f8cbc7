import { expect, it } from "vitest";
import { isComposing, pressedKey } from "./keys";

it.each([
  ["Cyrillic", "о", "KeyJ", false, "j"],
  ["Cyrillic, shifted", "О", "KeyJ", true, "J"],
  ["Greek", "ξ", "KeyJ", false, "j"],
  ["Hebrew", "ח", "KeyJ", false, "j"],
  ["Arabic", "ت", "KeyJ", false, "j"],
  ["AZERTY, a digit that takes Shift", "&", "Digit1", false, "1"],
  ["AZERTY, a letter on a digit", "é", "Digit2", false, "2"],
  ["Czech", "ě", "Digit2", false, "2"],
  ["Persian digits", "۱", "Digit1", false, "1"],
  ["AZERTY, with Shift", "1", "Digit1", true, "1"],
  ["AZERTY, a Latin letter elsewhere", "a", "KeyQ", false, "a"],
  ["Dvorak", "h", "KeyJ", false, "h"],
  ["QWERTY, a sign", "!", "Digit1", true, "!"],
  ["German, a sign", "/", "Digit7", true, "/"],
  ["Hebrew, a sign", "/", "KeyQ", false, "/"],
  ["no place", "j", "", false, "j"],
  ["a named key", "Enter", "Enter", false, "Enter"],
])("reads a key of a layout: %s", (_, key, code, shiftKey, expected) => {
  expect(pressedKey({ key, code, shiftKey })).toBe(expected);
});

it("has no key while an input method composes", () => {
  const enter = { key: "Enter", code: "Enter" };
  expect(pressedKey({ ...enter, isComposing: true })).toBe("");
  expect(pressedKey({ ...enter, nativeEvent: { isComposing: true } })).toBe("");
  // Safari ends the composition before it sends the key.
  expect(pressedKey({ ...enter, isComposing: false, keyCode: 229 })).toBe("");
  expect(isComposing({ ...enter, keyCode: 13 })).toBe(false);
});
