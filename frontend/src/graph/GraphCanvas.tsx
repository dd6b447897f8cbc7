// The drawing as a component: it owns the canvas, and gives its handle to whoever mounts it.
import { useEffect, useRef } from "react";
import type { GraphModel } from "@/view/graphModel";
import { createGraph } from "./create";
import type { GraphEvents, GraphHandle } from "./handle";

interface Props {
  model: GraphModel;
  events: GraphEvents;
  /** Changes when colours change. */
  theme: string;
  onReady: (handle: GraphHandle | null) => void;
}

export default function GraphCanvas({ model, events, theme, onReady }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const handle = useRef<GraphHandle | null>(null);
  const latest = useRef(events);
  const ready = useRef(onReady);

  useEffect(() => {
    latest.current = events;
    ready.current = onReady;
  });

  useEffect(() => {
    if (!container.current) return undefined;
    const created = createGraph(container.current, {
      onHover: (...args) => latest.current.onHover(...args),
      onSelect: (...args) => latest.current.onSelect(...args),
      onMenu: (...args) => latest.current.onMenu(...args),
      onPick: (...args) => latest.current.onPick(...args),
      onExpand: (...args) => latest.current.onExpand(...args),
    });
    handle.current = created;
    ready.current(created);
    return () => {
      handle.current = null;
      ready.current(null);
      created.destroy();
    };
  }, []);

  useEffect(() => {
    // A burst of events is one change of the drawing: a finished run is laid out as a whole.
    const frame = requestAnimationFrame(() => handle.current?.update(model));
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [model]);

  useEffect(() => {
    handle.current?.restyle();
  }, [theme]);

  return <div ref={container} className="graph-canvas" />;
}
