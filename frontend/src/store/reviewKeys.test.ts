import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_KEYS, actOf, keyOf, objection, showKey, useKeyStore, keymapOf } from "./reviewKeys";

const press = (key: string, ...held: ("ctrl" | "shift" | "alt" | "meta")[]) => ({
  key,
  ctrlKey: held.includes("ctrl"),
  metaKey: held.includes("meta"),
  altKey: held.includes("alt"),
  shiftKey: held.includes("shift"),
});

describe("keys", () => {
  it("do what the buttons say", () => {
    const acts = [
      press("1"),
      press("2"),
      press("3"),
      press("j"),
      press("k"),
      press("ArrowDown"),
      press("Enter"),
      press("z", "ctrl"),
      press("z", "meta"),
      press("Z", "ctrl", "shift"),
      press("y", "ctrl"),
    ].map((one) => actOf(one, DEFAULT_KEYS));
    expect(acts).toEqual([
      "rational",
      "not-rational",
      "unsure",
      "next",
      "previous",
      "next",
      "submit",
      "undo",
      "undo",
      "redo",
      "redo",
    ]);
  });

  it("do nothing with other keys held", () => {
    const acts = [
      press("z"),
      press("1", "ctrl"),
      press("1", "alt"),
      press("Shift", "shift"),
      press("J", "shift"),
    ];
    expect(acts.map((one) => actOf(one, DEFAULT_KEYS))).toEqual([null, null, null, null, null]);
  });

  it("are written as people read them", () => {
    expect([press("J"), press("J", "shift"), press("?", "shift"), press("+", "ctrl")].map(keyOf)).toEqual([
      "J",
      "Shift+J",
      "?",
      "Ctrl++",
    ]);
    expect(["Ctrl+Shift+Z", "ArrowDown", "+", "Ctrl++"].map(showKey)).toEqual([
      "Ctrl Shift Z",
      "↓",
      "+",
      "Ctrl +",
    ]);
  });
});

describe("other keys", () => {
  beforeEach(() => {
    useKeyStore.getState().reset();
  });

  it("are taken, kept, and given back", () => {
    expect(useKeyStore.getState().assign("rational", "G")).toBeNull();
    const keymap = keymapOf(useKeyStore.getState().own);
    expect([actOf(press("g"), keymap), actOf(press("1"), keymap)]).toEqual(["rational", null]);
    expect(JSON.parse(localStorage.getItem("clew-review-keys") ?? "")).toMatchObject({
      state: { own: { rational: "G" } },
    });
    useKeyStore.getState().reset();
    expect(keymapOf(useKeyStore.getState().own)).toEqual(DEFAULT_KEYS);
  });

  it("are refused when something else has them, and nothing changes", () => {
    expect(useKeyStore.getState().assign("rational", "B")).toBe("B is the key of “The question is broken”.");
    expect(useKeyStore.getState().assign("rational", "Ctrl+K")).toBe("Ctrl K opens the palette.");
    expect(useKeyStore.getState().own).toEqual({});
    expect(objection(DEFAULT_KEYS, "rational", "1")).toBeNull();
  });

  it("may be swapped in three steps", () => {
    const { assign } = useKeyStore.getState();
    expect([assign("next", "0"), assign("previous", "J"), assign("next", "K")]).toEqual([null, null, null]);
    const keymap = keymapOf(useKeyStore.getState().own);
    expect([actOf(press("j"), keymap), actOf(press("k"), keymap)]).toEqual(["previous", "next"]);
  });
});
