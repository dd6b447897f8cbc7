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

export function Panels({ drawing, side, steps, timeline }: Parts) {
  const panels = useDefaultLayout({ id: "clew-ask", storage: window.localStorage });
  return (
    <>
      <Group
        id="clew-ask"
        className="ask-panels"
        orientation="horizontal"
        {...(panels.defaultLayout && { defaultLayout: panels.defaultLayout })}
        onLayoutChanged={panels.onLayoutChanged}
      >
        <Panel id="graph" minSize={320}>
          {drawing}
        </Panel>
        <Separator className="splitter" />
        <Panel id="side" defaultSize="40%" minSize={300}>
          <div className="side">
            {side}
            {steps}
          </div>
        </Panel>
      </Group>
      {timeline}
    </>
  );
}
