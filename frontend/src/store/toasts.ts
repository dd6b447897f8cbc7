// Short messages that go away, some with a way back.
import { create } from "zustand";

export interface Toast {
  id: number;
  text: string;
  act?: { label: string; run: () => void };
}

interface ToastState {
  toasts: readonly Toast[];
  drop: (id: number) => void;
}

export const useToasts = create<ToastState>()((set) => ({
  toasts: [],
  drop: (id) => {
    set((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) }));
  },
}));

let last = 0;

/** Show `text` for `ms`. Returns what takes it away at once. */
export function toast(
  text: string,
  { act, ms = 5000 }: { act?: Toast["act"]; ms?: number } = {},
): () => void {
  last += 1;
  const id = last;
  useToasts.setState((state) => ({ toasts: [...state.toasts.slice(-3), { id, text, ...(act && { act }) }] }));
  const drop = () => {
    useToasts.getState().drop(id);
  };
  setTimeout(drop, ms);
  return drop;
}
