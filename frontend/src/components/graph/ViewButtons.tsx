// What every drawing has: layouts, the lasso, and how near one looks.
import { ActMenu, Button, type Act } from "@/components/kit/controls";
import type { GraphHandle, LayoutName } from "@/graph/handle";
import { isPlaced } from "@/graph/map";
import { timesOf } from "@/graph/rings";
import type { GraphModel } from "@/store/graphModel";

const LAYOUTS: readonly [LayoutName, string, (model: GraphModel) => boolean][] = [
  ["flow", "Left to right, by hops", () => true],
  ["force", "By force", () => true],
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
export function LayoutMenu({ model, layout, onLayout }: LayoutProps) {
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

interface ViewProps {
  handle: GraphHandle | null;
  lasso: boolean;
  onLasso: (on: boolean) => void;
}

export function ViewButtons({ handle, lasso, onLasso }: ViewProps) {
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
      <Button {...button} icon="minus" label="Zoom out" hint="-" onPress={() => handle?.zoom(0.8)} />
      <Button {...button} icon="plus" label="Zoom in" hint="+" onPress={() => handle?.zoom(1.25)} />
      <Button {...button} icon="fit" label="Fit" hint="f" onPress={() => handle?.fit()} />
    </>
  );
}
