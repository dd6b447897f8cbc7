// Where the parts of the Ask page stand: side by side, or in one column.
import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import { useUrl } from "@/components/kit/url";

export interface Parts {
  drawing: ReactNode;
  side: ReactNode;
  steps: ReactNode;
  timeline: ReactNode;
}

/** On a phone: the answers or the graph, one at a time. Which is in the address. */
export function Column({ drawing, side, steps, timeline }: Parts) {
  const [params, put] = useUrl();
  return (
    <Tabs
      className="ask-column"
      selectedKey={params.get("view") === "graph" ? "graph" : "answers"}
      onSelectionChange={(key) => put({ view: key === "graph" ? "graph" : null })}
    >
      <TabList className="tabs" aria-label="What is shown">
        <Tab id="answers">Answers</Tab>
        <Tab id="graph">Graph</Tab>
      </TabList>
      <TabPanel id="answers">
        {side}
        {steps}
      </TabPanel>
      <TabPanel id="graph" className="column-graph">
        {drawing}
      </TabPanel>
      {timeline}
    </Tabs>
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
