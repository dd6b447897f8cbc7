import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { isComposing } from "@/view/keys";

/** True while the media query matches. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", changed);
      return () => {
        list.removeEventListener("change", changed);
      };
    },
    () => window.matchMedia(query).matches,
  );
}

/** `value` as it was when it last stood still for `ms`. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, ms);
    return () => {
      clearTimeout(timer);
    };
  }, [value, ms]);
  return settled;
}

/** True once the component has been there for `ms`: for what a passing pointer should not ask the server. */
export function useRested(ms: number): boolean {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setRested(true);
    }, ms);
    return () => {
      clearTimeout(timer);
    };
  }, [ms]);
  return rested;
}

function subscribeOnline(changed: () => void): () => void {
  for (const change of ["online", "offline"]) window.addEventListener(change, changed);
  return () => {
    for (const change of ["online", "offline"]) window.removeEventListener(change, changed);
  };
}

/** Whether the browser has a network. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribeOnline, () => navigator.onLine);
}

/** The page's title while the component is there. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Clew` : "Clew";
  }, [title]);
}

/** True when a key press belongs to a field, a menu or a dialog, and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target?.closest) return false;
  return (
    target.closest(
      "input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]",
    ) !== null
  );
}

const IN_DIALOG = "[role=dialog], [role=alertdialog]";

/** After Escape no button of the page has the focus, so that Enter is the page's: also where a popover gives it back. */
export function useEscapeToPage(): void {
  useEffect(() => {
    let escaped = false;
    const release = () => {
      const at = document.activeElement;
      if (at instanceof HTMLElement && at.closest("button, a, summary") && !at.closest(IN_DIALOG)) at.blur();
    };
    const onKey = (event: KeyboardEvent) => {
      escaped = event.key === "Escape";
      if (escaped) queueMicrotask(release);
    };
    const onFocus = () => {
      if (escaped) queueMicrotask(release);
    };
    const onPointer = () => {
      escaped = false;
    };
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("focusin", onFocus);
    window.addEventListener("pointerdown", onPointer, true);
    return () => {
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("focusin", onFocus);
      window.removeEventListener("pointerdown", onPointer, true);
    };
  }, []);
}

/** Calls `onKey` for key presses that no field wants. */
export function usePageKeys(onKey: (event: KeyboardEvent) => void): void {
  const handle = useEffectEvent(onKey);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !isTyping(event) && !isComposing(event)) handle(event);
    };
    window.addEventListener("keydown", listen);
    return () => {
      window.removeEventListener("keydown", listen);
    };
  }, []);
}

/** A value as it was when it last stayed the same for `ms`. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => {
      clearTimeout(timer);
    };
  }, [value, ms]);
  return settled;
}
