// A drawing that stands by itself: it follows the theme and answers to double-click, and nothing else.
import { Suspense, lazy, useMemo } from "react";
import type { GraphEvents } from "@/graph/handle";
import { useMedia } from "@/components/kit/hooks";
import { Loading } from "@/components/kit/feedback";
import type { GraphModel } from "@/view/graphModel";
import { useSettings } from "@/store/settings";

const GraphCanvas = lazy(() => import("@/graph/GraphCanvas"));
const nothing = () => undefined;

interface Props {
  label: string;
  model: GraphModel;
  onExpand?: (node: number) => void;
}

export function PlainCanvas({ label, model, onExpand }: Props) {
  const { theme } = useSettings();
  const dark = useMedia("(prefers-color-scheme: dark)");
  const events = useMemo<GraphEvents>(
    () => ({
      onHover: nothing,
      onSelect: nothing,
      onMenu: nothing,
      onPick: nothing,
      onExpand: onExpand ?? nothing,
    }),
    [onExpand],
  );
  return (
    <div className="plain-canvas" role="img" aria-label={label}>
      <Suspense fallback={<Loading what="the drawing" />}>
        <GraphCanvas model={model} events={events} theme={`${theme}${String(dark)}`} onReady={nothing} />
      </Suspense>
    </div>
  );
}
