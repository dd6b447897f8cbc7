// The drawing's legend of methods: each can be taken out of it and put back.
import { count } from "@/view/format";
import { RunMark } from "./RunMark";
import type { Compared } from "./RunsTable";

export function RunToggles({
  list,
  onToggle,
}: {
  list: readonly Compared[];
  onToggle: (place: number) => void;
}) {
  return (
    <div
      className="run-toggles"
      role="group"
      aria-label="Methods in the drawing; lines side by side are one hop that several walked"
    >
      {list.map((one, place) => (
        <button
          key={one.run.id}
          type="button"
          className="run-toggle"
          aria-pressed={one.shown}
          title={`${one.shown ? "Hide in" : "Show in"} the drawing (${place + 1})`}
          onClick={() => onToggle(place)}
        >
          <RunMark place={place} />
          <span>
            <bdi>{one.name}</bdi>
          </span>
          <span className="muted tabular">{one.view ? count(one.view.paths.length, "path") : ""}</span>
          <kbd>{place + 1}</kbd>
        </button>
      ))}
    </div>
  );
}
