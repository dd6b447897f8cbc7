// The keys of the review page: what each act is called, its key, and what a person made of that.
import { create } from "zustand";
import { persist } from "zustand/middleware";
import { pressedKey, type KeyPress } from "@/view/keys";

export const ACTS = {
  rational: { key: "1", label: "Rational path, or right program" },
  "not-rational": { key: "2", label: "Not a rational path, or wrong program" },
  unsure: { key: "3", label: "Unsure about it" },
  next: { key: "J", label: "Next candidate" },
  previous: { key: "K", label: "Candidate before" },
  reasons: { key: "R", label: "Reasons for the last verdict" },
  comment: { key: "C", label: "Comment on the last verdict" },
  rest: { key: "X", label: "All that are not judged yet: not rational, or wrong" },
  edit: { key: "E", label: "Edit the candidate in focus" },
  add: { key: "N", label: "Add a missing candidate" },
  answers: { key: "T", label: "Give the right answers" },
  broken: { key: "B", label: "The question is broken" },
  submit: { key: "Enter", label: "Submit, and on to the next question" },
  undo: { key: "Ctrl+Z", label: "Undo, across questions" },
  redo: { key: "Ctrl+Shift+Z", label: "Redo" },
  filter: { key: "/", label: "Search the questions" },
  fit: { key: "F", label: "Fit the drawing" },
} as const satisfies Record<string, { key: string; label: string }>;

export type ActName = keyof typeof ACTS;
export type Keymap = Readonly<Record<ActName, string>>;

export const ACT_NAMES = Object.keys(ACTS) as ActName[];
export const DEFAULT_KEYS = Object.fromEntries(ACT_NAMES.map((act) => [act, ACTS[act].key])) as Keymap;

/** Second keys, which stay as they are. */
const ALSO: Readonly<Record<string, ActName>> = {
  ArrowDown: "next",
  ArrowUp: "previous",
  "Ctrl+Y": "redo",
};

/** What belongs to the whole application, or to the browser. */
const TAKEN: Readonly<Record<string, string>> = {
  "?": "lists the keys",
  A: "goes to the question",
  "Ctrl+K": "opens the palette",
  Tab: "goes from field to field",
  "Shift+Tab": "goes from field to field",
  Escape: "leaves a field",
  " ": "presses a button",
  ...Object.fromEntries(
    Object.entries(ALSO).map(([key, act]) => [key, `is the second key of “${ACTS[act].label}”`]),
  ),
};

export interface Press extends KeyPress {
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** A key press as it is written: "J", "Shift+J", "Ctrl+Z", "Enter". Command counts as Ctrl. Null for Shift and its like alone. */
export function keyOf(press: Press): string | null {
  return written(press, pressedKey(press));
}

function written({ ctrlKey, metaKey, altKey, shiftKey }: Press, key: string): string | null {
  if (["", "Control", "Shift", "Alt", "Meta", "Dead", "Unidentified"].includes(key)) return null;
  const letter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  // A sign has its Shift in it: "?" needs no more said.
  const shift = shiftKey && (letter || key.length > 1);
  return [
    ...(ctrlKey || metaKey ? ["Ctrl"] : []),
    ...(altKey ? ["Alt"] : []),
    ...(shift ? ["Shift"] : []),
    letter ? key.toUpperCase() : key,
  ].join("+");
}

/** What a key does on the page of an item. */
export function actOf(press: Press, keymap: Keymap): ActName | null {
  const key = keyOf(press);
  if (key === null) return null;
  // A person may have given an act a letter of their own script.
  const own = written(press, press.key);
  return (
    ACT_NAMES.find((act) => keymap[act] === own) ??
    ACT_NAMES.find((act) => keymap[act] === key) ??
    ALSO[key] ??
    null
  );
}

/** Why an act cannot have a key; null when it can. */
export function objection(keymap: Keymap, act: ActName, key: string): string | null {
  const taken = TAKEN[key];
  if (taken) return `${showKey(key)} ${taken}.`;
  const other = ACT_NAMES.find((one) => one !== act && keymap[one] === key);
  return other ? `${showKey(key)} is the key of “${ACTS[other].label}”.` : null;
}

const SHOWN: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  " ": "Space",
};

/** A key as it stands on a button. */
export function showKey(key: string): string {
  return SHOWN[key] ?? key.split(/\+(?=.)/).join(" ");
}

interface KeyStore {
  /** Only what differs from the defaults. */
  own: Partial<Record<ActName, string>>;
  /** Give an act a key; says why when it cannot have it, and changes nothing then. */
  assign: (act: ActName, key: string) => string | null;
  reset: () => void;
}

export const useKeyStore = create<KeyStore>()(
  persist(
    (set, get) => ({
      own: {},
      assign: (act, key) => {
        const against = objection(keymapOf(get().own), act, key);
        if (against === null) set({ own: { ...get().own, [act]: key } });
        return against;
      },
      reset: () => {
        set({ own: {} });
      },
    }),
    { name: "clew-review-keys", partialize: ({ own }) => ({ own }) },
  ),
);

export function keymapOf(own: Partial<Record<ActName, string>>): Keymap {
  return { ...DEFAULT_KEYS, ...own };
}

export function useKeymap(): Keymap {
  const own = useKeyStore((state) => state.own);
  return keymapOf(own);
}
