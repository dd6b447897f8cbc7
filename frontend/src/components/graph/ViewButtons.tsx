// What every drawing has: undo, a filter, layouts, the table, sharing, the lasso, and how near one looks.
import type { ReactNode } from "react";
import { DialogTrigger, Popover } from "react-aria-components";
import { ActMenu, Button, type Act } from "@/components/kit/controls";
import { MASS } from "@/graph/backgroundLayer";
import type { GraphHandle, LayoutName } from "@/graph/handle";
import { isPlaced } from "@/graph/map";
import { timesOf } from "@/graph/radialLayout";
import type { GraphModel } from "@/view/graphModel";

const LAYOUTS: readonly [LayoutName, string, (model: GraphModel) => boolean][] = [
  ["flow", "Left to right, by hops", () => true],
  ["force", "By force", (model) => model.edges.length <= MASS],
  ["radial", "In rings around the topics", () => true],
  ["timeline", "Along a timeline", (model) => timesOf(model).size > 1],
  ["map", "On a map, by coordinates", isPlaced],
];

interface LayoutProps {
  model: GraphModel;
  layout: LayoutName;
  onLayout: (name: LayoutName) => void;
}

/** The layouts that say something of what is drawn. */
function LayoutMenu({ model, layout, onLayout }: LayoutProps) {
  const acts = LAYOUTS.filter(([, , fits]) => fits(model)).map(([id, label]): Act => ({
    id,
    label,
    checked: layout === id,
    onAction: () => onLayout(id),
  }));
  return (
    <ActMenu
      label="Layout"
      trigger={<Button look="plain" size="small" icon="layout" aria-label="Layout" />}
      acts={acts}
    />
  );
}

interface ZoomProps {
  handle: GraphHandle | null;
  /** The keys that do the same, where there are some. */
  keys: { in?: string; out?: string; fit?: string };
  isDisabled?: boolean;
}

export function ZoomButtons({ handle, keys, isDisabled = false }: ZoomProps) {
  const button = (
    icon: "minus" | "plus" | "fit",
    label: string,
    hint: string | undefined,
    act: () => void,
  ) => (
    <Button
      {...{ look: "plain", size: "small", icon, label, isDisabled }}
      {...(hint !== undefined && { hint })}
      onPress={act}
    />
  );
  return (
    <>
      {button("minus", "Zoom out", keys.out, () => handle?.zoom(0.8))}
      {button("plus", "Zoom in", keys.in, () => handle?.zoom(1.25))}
      {button("fit", "Fit", keys.fit, () => handle?.fit())}
    </>
  );
}

interface ViewProps {
  handle: GraphHandle | null;
  lasso: boolean;
  onLasso: (on: boolean) => void;
}

function ViewButtons({ handle, lasso, onLasso }: ViewProps) {
  const button = { look: "plain", size: "small" } as const;
  return (
    <>
      <Button
        {...button}
        icon="lasso"
        label={lasso ? "Stop selecting" : "Select with a lasso"}
        hint="l"
        aria-pressed={lasso}
        {...(lasso ? { className: "on" } : {})}
        onPress={() => onLasso(!lasso)}
      />
      <ZoomButtons handle={handle} keys={{ out: "-", in: "+", fit: "f" }} />
    </>
  );
}

interface ToolsProps extends LayoutProps, ViewProps {
  canUndo: boolean;
  onUndo: () => void;
  /** The dialog that says what is drawn. */
  filter: ReactNode;
  filtered: boolean;
  /** There is something to filter. */
  canFilter?: boolean;
  table: boolean;
  onTable: (table: boolean) => void;
  /** What can be taken along of the drawing, and the name of that menu. */
  share: string;
  shares: readonly Act[];
}

/** Everything at the end of a drawing's toolbar, in its order. */
export function DrawingTools(props: ToolsProps) {
  const {
    model,
    layout,
    onLayout,
    handle,
    lasso,
    onLasso,
    table,
    onTable,
    filtered,
    canFilter = true,
  } = props;
  const button = { look: "plain", size: "small" } as const;
  return (
    <>
      <Button
        {...button}
        icon="undo"
        label="Undo"
        hint="z"
        isDisabled={!props.canUndo}
        onPress={props.onUndo}
      />
      <DialogTrigger>
        <Button
          {...button}
          icon="filter"
          isDisabled={!canFilter}
          {...(filtered ? { className: "on" } : {})}
          label={filtered ? "Filter (active)" : "Filter"}
        />
        <Popover className="popover" placement="bottom end">
          {props.filter}
        </Popover>
      </DialogTrigger>
      <LayoutMenu model={model} layout={layout} onLayout={onLayout} />
      <Button
        {...button}
        icon="table"
        label={table ? "Show the drawing" : "Show as a table"}
        {...(table ? { className: "on" } : {})}
        onPress={() => onTable(!table)}
      />
      <ActMenu
        label={props.share}
        trigger={<Button {...button} icon="download" aria-label={props.share} />}
        acts={props.shares}
      />
      <ViewButtons handle={handle} lasso={lasso} onLasso={onLasso} />
    </>
  );
}
