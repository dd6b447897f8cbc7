// The tools above the drawing of what is explored: undo, filter, layout, share, and how near one looks.
import { Dialog } from "react-aria-components";
import type { Graph } from "@/api/types";
import { DrawingTools } from "@/components/graph/ViewButtons";
import { Button } from "@/components/kit/controls";
import type { GraphHandle, LayoutName } from "@/graph/handle";
import { NO_KIND, kindOf } from "@/view/exploring";
import { copyText, download, fileName } from "@/components/kit/files";
import { count, elide } from "@/view/format";
import type { ExploringState } from "./useExploring";

function Choices({
  label,
  names,
  chosen,
  onChange,
}: {
  label: string;
  names: readonly (readonly [name: string, label: string, found: number])[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  return (
    <fieldset>
      <legend className="label">{label}</legend>
      <div className="explore-kinds">
        {names.map(([name, text, found]) => (
          <label key={name} className="check" title={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => {
                const rest = chosen.filter((one) => one !== name);
                onChange(event.target.checked ? [...rest, name] : rest);
              }}
            />
            {elide(text, 60)} <span className="muted tabular">{found}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function tally(names: readonly (readonly [string, string])[]): [string, string, number][] {
  const found = new Map<string, [string, string, number]>();
  for (const [name, label] of names) found.set(name, [name, label, (found.get(name)?.[2] ?? 0) + 1]);
  return [...found.values()].sort((a, b) => b[2] - a[2] || a[1].localeCompare(b[1]));
}

function FilterBox({ state }: { state: ExploringState }) {
  const { data, exploring, show } = state;
  const kinds = tally(
    (data?.nodes ?? []).map(kindOf).map((kind) => [kind || NO_KIND, kind || NO_KIND] as const),
  );
  const relations = tally((data?.hops ?? []).map(({ step }) => [step.name, step.label] as const));
  const filtered = exploring.kinds.length + exploring.relations.length > 0;
  return (
    <Dialog aria-label="Filter what is shown" className="dialog narrow">
      <p className="muted small">
        Only what is ticked is drawn; with nothing ticked, everything is. Pins stay.
      </p>
      {kinds.length > 1 && (
        <Choices
          label="Kinds"
          names={kinds}
          chosen={exploring.kinds}
          onChange={(chosen) => show({ ...exploring, kinds: chosen })}
        />
      )}
      {relations.length > 0 && (
        <Choices
          label="Relations"
          names={relations}
          chosen={exploring.relations}
          onChange={(chosen) => show({ ...exploring, relations: chosen })}
        />
      )}
      {filtered && (
        <Button size="small" onPress={() => show({ ...exploring, kinds: [], relations: [] })}>
          Clear the filter
        </Button>
      )}
    </Dialog>
  );
}

interface ToolsProps {
  graph: Graph;
  state: ExploringState;
  handle: GraphHandle | null;
  layout: LayoutName;
  onLayout: (name: LayoutName) => void;
  table: boolean;
  onTable: (table: boolean) => void;
  lasso: boolean;
  onLasso: (on: boolean) => void;
}

export function ExploreTools(props: ToolsProps) {
  const { graph, state, handle, layout, onLayout, table, onTable, lasso, onLasso } = props;
  const { model, exploring, shown } = state;
  const filtered = exploring.kinds.length + exploring.relations.length > 0;
  const save = (ending: string, blob: Promise<Blob> | undefined) =>
    void blob?.then((content) => download(fileName(`${graph.name} explored`, ending), content));
  return (
    <div className="graph-tools">
      <span className="graph-count small tabular muted" role="status">
        {count(model.nodes.length, "entity", "entities")}, {count(model.edges.length, "fact")}
        {model.hidden > 0 && ` · ${model.hidden} filtered away`}
      </span>
      <span className="grow" />
      <DrawingTools
        {...{ model, layout, onLayout, handle, lasso, onLasso, table, onTable, filtered }}
        canUndo={state.canUndo}
        onUndo={state.undo}
        filter={<FilterBox state={state} />}
        canFilter={shown.length > 0}
        share="Share what is shown"
        shares={[
          {
            id: "link",
            label: "Copy the address",
            onAction: () => void copyText(window.location.href, "Address"),
          },
          { id: "png", label: "Image (PNG)", onAction: () => save("png", handle?.png()) },
          { id: "svg", label: "Drawing (SVG)", onAction: () => save("svg", handle?.svg()) },
          {
            id: "json",
            label: "Entities and facts (JSON)",
            onAction: () =>
              download(fileName(`${graph.name} explored`, "json"), JSON.stringify(state.data ?? {}, null, 2)),
          },
        ]}
      />
    </div>
  );
}
