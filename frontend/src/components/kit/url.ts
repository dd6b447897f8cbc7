// What a page keeps in its address, so that it can be left, shared and come back to.
import { useCallback } from "react";
import { useSearchParams } from "react-router";

export type Change = Record<string, string | null>;

/** `params` with `change` put in; empty and null take a name out. */
export function withParams(params: URLSearchParams, change: Change): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(change)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

/** The address's parameters, and a way to change some without a new entry in the browser's history. */
export function useUrl(): [URLSearchParams, (change: Change) => void] {
  const [params, setParams] = useSearchParams();
  const put = useCallback(
    (change: Change) => {
      setParams((now) => withParams(now, change), { replace: true });
    },
    [setParams],
  );
  return [params, put];
}

export function useUrlNumber(name: string): [number | null, (value: number | null) => void] {
  const [params, put] = useUrl();
  const text = params.get(name);
  const value = text !== null && /^\d+$/.test(text) ? Number(text) : null;
  const set = useCallback(
    (next: number | null) => {
      put({ [name]: next === null ? null : String(next) });
    },
    [name, put],
  );
  return [value, set];
}
