// Search, filter, layout, zoom, export: everything about the drawing that is not a click in it.
import { useState, type RefObject } from "react";
import { Dialog } from "react-aria-components";
import { Button } from "@/components/kit/controls";
import type { GraphHandle, LayoutName } from "@/graph/handle";
import { download, fileName } from "@/components/kit/files";
import { count, integer } from "@/view/format";
import { type GraphOptions } from "@/view/graphModel";
import { pressedKey } from "@/view/keys";
import type { GraphState } from "./useGraphView";
import { DrawingTools } from "./ViewButtons";

interface Props {
  state: GraphState;
  handle: GraphHandle | null;
  title: string;
  layout: LayoutName;
  onLayout: (name: LayoutName) => void;
  table: boolean;
  onTable: (on: boolean) => void;
  search: RefObject<HTMLInputElement | null>;
  lasso: boolean;
  onLasso: (on: boolean) => void;
}

const ONLY: Record<GraphOptions["only"], string> = {
  evidence: "Evidence only",
  all: "Everything found",
  verified: "Facts in graph only",
};

function FilterBox({ state }: { state: GraphState }) {
  const { only, setOnly, relations, setRelations, known } = state;
  return (
    <Dialog aria-label="Filter the graph" className="dialog narrow">
      <fieldset>
        <legend className="label">Show</legend>
        {(Object.keys(ONLY) as GraphOptions["only"][]).map((id) => (
          <label key={id} className="check">
            <input type="radio" name="only" checked={only === id} onChange={() => setOnly(id)} />
            {ONLY[id]}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend className="label">Relations {relations.size > 0 && `(${relations.size} chosen)`}</legend>
        {known.map(([name, label]) => (
          <label key={name} className="check" title={name}>
            <input
              type="checkbox"
              checked={relations.has(name)}
              onChange={() => {
                const next = new Set(relations);
                if (!next.delete(name)) next.add(name);
                setRelations(next);
              }}
            />
            {label}
          </label>
        ))}
        {known.length === 0 && <p className="muted small">No facts yet.</p>}
      </fieldset>
      {state.isFiltered && (
        <Button size="small" onPress={state.clearFilter}>
          Clear the filter
        </Button>
      )}
    </Dialog>
  );
}

function SearchBox({ state, handle, search }: Pick<Props, "state" | "handle" | "search">) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const query = text.trim().toLowerCase();
  const hits = query ? state.model.nodes.filter((node) => node.label.toLowerCase().includes(query)) : [];
  const go = (index: number, list = hits) => {
    const hit = list[index % Math.max(1, list.length)];
    setAt(index);
    if (hit) handle?.select([hit.id]);
  };
  return (
    <span className="graph-search">
      <input
        ref={search}
        className="input"
        type="search"
        aria-label="Search in the graph"
        placeholder="Search  /"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          const next = event.target.value.trim().toLowerCase();
          if (next)
            go(
              0,
              state.model.nodes.filter((node) => node.label.toLowerCase().includes(next)),
            );
        }}
        onKeyDown={(event) => {
          if (pressedKey(event) === "Enter" && hits.length) go((at + 1) % hits.length);
          if (pressedKey(event) === "Escape") {
            setText("");
            event.currentTarget.blur();
          }
        }}
      />
      {query && (
        <span className="small muted tabular" role="status">
          {hits.length ? `${(at % hits.length) + 1} of ${hits.length}` : "none here"}
        </span>
      )}
    </span>
  );
}

function exportActs({ state, handle, title }: Pick<Props, "state" | "handle" | "title">) {
  const save = (ending: string, blob: Promise<Blob> | undefined) =>
    void blob?.then((content) => {
      download(fileName(title, ending), content);
    });
  return [
    { id: "png", label: "Image (PNG)", onAction: () => save("png", handle?.png()) },
    { id: "svg", label: "Drawing (SVG)", onAction: () => save("svg", handle?.svg()) },
    {
      id: "json",
      label: "Nodes and edges (JSON)",
      onAction: () => {
        const { nodes, edges } = state.model;
        const plain = {
          nodes: nodes.map(({ id, label, kind, role }) => ({ id, label, kind, role })),
          edges: edges.map(({ source, relation, target, verified, kind }) => ({
            source,
            relation,
            target,
            verified,
            kind,
          })),
        };
        download(fileName(`${title} graph`, "json"), JSON.stringify(plain, null, 2));
      },
    },
  ];
}

export function GraphToolbar(props: Props) {
  const { state, handle, layout, onLayout, table, onTable, search, lasso, onLasso } = props;
  const { model, hand, dispatch, limit, setLimit } = state;
  const cut = model.total > model.nodes.length;
  const filtered = state.isFiltered;
  return (
    <div className="graph-tools">
      <SearchBox state={state} handle={handle} search={search} />
      <span className="graph-count small tabular" role="status">
        {cut ? (
          <>
            <span className="warn-text">
              shown {integer(model.nodes.length)} of {integer(model.total)}
            </span>{" "}
            <Button look="link" className="small" onPress={() => setLimit(2 * limit)}>
              show more
            </Button>
            {model.total > 2 * limit && (
              <>
                {" "}
                <Button look="link" className="small" onPress={() => setLimit(model.total)}>
                  all
                </Button>
              </>
            )}
          </>
        ) : (
          <span className="muted">
            {count(model.nodes.length, "node")},{" "}
            {count(model.edges.filter((edge) => edge.strand === 0).length, "edge")}
          </span>
        )}
        {model.hidden > 0 && <span className="muted"> · {model.hidden} hidden</span>}
      </span>
      <span className="grow" />
      <DrawingTools
        {...{ model, layout, onLayout, handle, lasso, onLasso, table, onTable, filtered }}
        canUndo={hand.past.length > 0}
        onUndo={() => dispatch({ type: "undo" })}
        filter={<FilterBox state={state} />}
        share="Export the graph"
        shares={exportActs(props)}
      />
    </div>
  );
}
