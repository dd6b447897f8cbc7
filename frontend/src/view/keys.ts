// Which key was pressed, whatever the keyboard layout; and none while an input method composes.

/** A key press of the browser or of React. */
export interface KeyPress {
  key: string;
  code?: string;
  keyCode?: number;
  shiftKey?: boolean;
  isComposing?: boolean;
  nativeEvent?: { isComposing?: boolean };
}

/** What browsers send for a key that an input method takes. */
const TAKEN_BY_INPUT_METHOD = 229;

/** Whether the key belongs to an input method: Enter then confirms a candidate, and arrows choose one. */
export function isComposing({ isComposing: own, nativeEvent, keyCode }: KeyPress): boolean {
  return (own ?? nativeEvent?.isComposing ?? false) || keyCode === TAKEN_BY_INPUT_METHOD;
}

/**
 * The key of a press; empty while an input method composes.
 *
 * A letter of another script is the Latin letter of the same place, and a key of the row of digits is its digit where
 * that takes Shift: shortcuts are the same keys on every layout.
 */
export function pressedKey(press: KeyPress): string {
  if (isComposing(press)) return "";
  const { key, code = "", shiftKey = false } = press;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter && /^[\p{L}\p{M}]+$/u.test(key) && key.length === 1 && key > "\u007f")
    return shiftKey ? letter : letter.toLowerCase();
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  return digit && !shiftKey && key.length === 1 ? digit : key;
}
