// A line drawn by hand around what is to be selected, by mouse, pen or finger.
import { useState, type PointerEvent } from "react";
import type { Point } from "@/graph/handle";

/** A shorter line, in points, is a slip of the hand. */
const LEAST = 4;

interface Props {
  /** The line, in pixels of the drawing; nothing where none was drawn. */
  onDrawn: (line: readonly Point[]) => void;
}

export function Lasso({ onDrawn }: Props) {
  const [line, setLine] = useState<readonly Point[]>([]);
  const at = (event: PointerEvent<SVGSVGElement>): Point => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  return (
    <svg
      className="lasso"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setLine([at(event)]);
      }}
      onPointerMove={(event) => {
        if (line.length) setLine([...line, at(event)]);
      }}
      onPointerUp={() => {
        onDrawn(line.length < LEAST ? [] : line);
        setLine([]);
      }}
      onPointerCancel={() => setLine([])}
    >
      <polygon points={line.map(({ x, y }) => `${x},${y}`).join(" ")} />
    </svg>
  );
}
