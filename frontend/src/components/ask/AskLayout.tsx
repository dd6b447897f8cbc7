// Where the parts of the Ask page stand: side by side, or in one column.
import type { ReactNode } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";

export interface Parts {
  drawing: ReactNode;
  side: ReactNode;
  steps: ReactNode;
  timeline: ReactNode;
}

export function Column({ drawing, side, steps, timeline }: Parts) {
  return (
    <div className="ask-column">
      {side}
      <div className="column-graph">{drawing}</div>
      {timeline}
      {steps}
    </div>
  );
}

interface SideBySideProps {
  /** Under which the widths are kept. */
  id: string;
  drawing: ReactNode;
  /** What stands beside the drawing, and how wide it is at first and at least. */
  side: ReactNode;
  share: string;
  least: number;
}

export function SideBySide({ id, drawing, side, share, least }: SideBySideProps) {
  const panels = useDefaultLayout({ id, storage: window.localStorage });
  return (
    <Group
      id={id}
      className="ask-panels"
      orientation="horizontal"
      {...(panels.defaultLayout && { defaultLayout: panels.defaultLayout })}
      onLayoutChanged={panels.onLayoutChanged}
    >
      <Panel id="graph" minSize={320}>
        {drawing}
      </Panel>
      <Separator className="splitter" />
      <Panel id="side" defaultSize={share} minSize={least}>
        <div className="side">{side}</div>
      </Panel>
    </Group>
  );
}

export function Panels({ drawing, side, steps, timeline }: Parts) {
  const beside = (
    <>
      {side}
      {steps}
    </>
  );
  return (
    <>
      <SideBySide id="clew-ask" drawing={drawing} side={beside} share="40%" least={300} />
      {timeline}
    </>
  );
}
