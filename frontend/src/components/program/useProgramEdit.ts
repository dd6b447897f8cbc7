// Changes of a program before it is run again: the last one of a place counts, and each can be taken back.
import { useReducer } from "react";
import {
  edited,
  isDropped,
  placeKey,
  same,
  at as valueAt,
  type Edit,
  type ProgramNode,
} from "@/view/program";

/** A change, which step it is of, and what it does in a few words. */
export interface Change {
  edit: Edit;
  step: number;
  said: string;
}

interface State {
  changes: readonly Change[];
  /** What is being typed, by place, with what is wrong with it. */
  typed: Readonly<Record<string, { text: string; step: number; error: string | null }>>;
}

type Action =
  | { type: "change"; change: Change; program: ProgramNode; text?: string }
  | { type: "wrong"; place: string; text: string; step: number; error: string }
  | { type: "undo" }
  | { type: "reset" };

const NOTHING: State = { changes: [], typed: {} };

const without = (typed: State["typed"], place: string): State["typed"] =>
  Object.fromEntries(Object.entries(typed).filter(([name]) => name !== place));

function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "change": {
      const { change, program, text } = action;
      const { edit, step } = change;
      const place = placeKey(edit.at);
      const rest = state.changes.filter((one) => placeKey(one.edit.at) !== place);
      const asRead = edit.kind === "set" && same(edit.value, valueAt(program, edit.at));
      const typed = without(state.typed, place);
      return {
        changes: asRead ? rest : [...rest, change],
        typed: text === undefined ? typed : { ...typed, [place]: { text, step, error: null } },
      };
    }
    case "wrong": {
      const { place, text, step, error } = action;
      return { ...state, typed: { ...state.typed, [place]: { text, step, error } } };
    }
    case "undo": {
      const wrong = Object.entries(state.typed).findLast(([, one]) => one.error !== null);
      if (wrong) return { ...state, typed: without(state.typed, wrong[0]) };
      const gone = state.changes.at(-1);
      if (!gone) return state;
      return {
        changes: state.changes.slice(0, -1),
        typed: without(state.typed, placeKey(gone.edit.at)),
      };
    }
    case "reset":
      return NOTHING;
  }
}

export function useProgramEdit(program: ProgramNode) {
  const [state, dispatch] = useReducer(reduce, NOTHING);
  const edits = state.changes.map((one) => one.edit);
  return {
    ...state,
    edits,
    wrong: Object.values(state.typed).some((one) => one.error !== null),
    edited: () => edited(program, edits),
    isDropped: (place: readonly string[]) => isDropped(edits, place),
    change: (change: Change, text?: string) =>
      dispatch({ type: "change", change, program, ...(text !== undefined && { text }) }),
    refuse: (place: readonly string[], step: number, text: string, error: string) =>
      dispatch({ type: "wrong", place: placeKey(place), step, text, error }),
    undo: () => dispatch({ type: "undo" }),
    reset: () => dispatch({ type: "reset" }),
  };
}

export type ProgramEdit = ReturnType<typeof useProgramEdit>;
