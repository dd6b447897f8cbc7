// What the drawing is about stays in sight beside the card that lies over it.
import { useEffect, type RefObject } from "react";
import type { GraphHandle } from "@/graph/handle";

/** A second click of a double one must still meet what the first one met. */
const SETTLE_MS = 350;

/** Have the drawing make room for the `.inspector` in `body`; `card` says which one is there, null none. */
export function useBeside(
  handle: GraphHandle | null,
  body: RefObject<HTMLElement | null>,
  card: string | null,
): void {
  useEffect(() => {
    const element = card === null ? null : body.current?.querySelector(".inspector");
    if (!handle || !element) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const [over, under] = [element.getBoundingClientRect(), body.current?.getBoundingClientRect()];
        if (!under) return;
        handle.coveredBy({
          ...{ x1: over.left - under.left, x2: over.right - under.left },
          ...{ y1: over.top - under.top, y2: over.bottom - under.top },
        });
      }, SETTLE_MS);
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [handle, body, card]);
  const isThere = card !== null;
  useEffect(() => {
    if (!isThere) handle?.coveredBy(null);
  }, [handle, isThere]);
}
