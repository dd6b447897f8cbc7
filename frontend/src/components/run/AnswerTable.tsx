// An answer that is a table: rows that can be sorted, whose cells lead into the graph.
import { useMemo, useState } from "react";
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import type { AnswerTable as Table, TableCell, TableColumn } from "@/api/events";
import { Button } from "@/components/kit/controls";
import { count, integer } from "@/view/format";
import { nameOf } from "@/view/entityNames";
import "./answerTable.css";

const FIRST = 20;
const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const helper = createColumnHelper<typeof features, readonly TableCell[]>();
const collator = new Intl.Collator("en", { numeric: true });
const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

/** What a cell is sorted by; nothing for an empty one, which comes last. */
function sortKey(cell: TableCell | undefined): number | string | undefined {
  return cell?.value ?? (cell?.text === "" ? undefined : cell?.text);
}

function compareKeys(a: number | string | undefined, b: number | string | undefined): number {
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : collator.compare(String(a ?? ""), String(b ?? ""));
}

function makeColumns(columns: readonly TableColumn[]) {
  return helper.columns(
    columns.map((column, place) =>
      helper.accessor((row) => sortKey(row[place]), {
        id: String(place),
        header: column.label,
        sortFn: (a, b, id) => compareKeys(a.getValue(id), b.getValue(id)),
        sortUndefined: "last",
        sortDescFirst: column.kind === "number",
      }),
    ),
  );
}

function CellText({ cell, onFind }: { cell: TableCell; onFind: (entity: number) => void }) {
  if (!cell.nodes.length) return <bdi>{cell.text}</bdi>;
  return cell.nodes.map((node, place) => (
    <span key={node.id}>
      {place > 0 && ", "}
      <button
        type="button"
        className="link"
        title={`Show ${nameOf(node)} in the graph`}
        onClick={() => onFind(node.id)}
      >
        <bdi>{cell.nodes.length === 1 ? cell.text : nameOf(node)}</bdi>
      </button>
    </span>
  ));
}

/** What copying the table gives: a line for each row, with tabs between the cells. */
export function tableLines({ columns, rows }: Table): string {
  const heads = columns.map(({ label, unit }) => (unit ? `${label} (${unit})` : label));
  return [heads, ...rows.map((row) => row.map((cell) => cell.text))]
    .map((cells) => cells.join("\t"))
    .join("\n");
}

export function AnswerTable({ table, onFind }: { table: Table; onFind: (entity: number) => void }) {
  const [all, setAll] = useState(false);
  const columns = useMemo(() => makeColumns(table.columns), [table.columns]);
  const { getHeaderGroups, getRowModel } = useTable({ features, columns, data: table.rows });
  const sorted = getRowModel().rows;
  const shown = all ? sorted : sorted.slice(0, FIRST);
  const classOf = (place: number) => (table.columns[place]?.kind === "number" ? "num" : undefined);
  return (
    <>
      <div className="scroll-x">
        <table className="table compact answer-table">
          <thead>
            <tr>
              {getHeaderGroups()[0]?.headers.map(({ id, column }, place) => {
                const direction = column.getIsSorted();
                const unit = table.columns[place]?.unit;
                return (
                  <th
                    key={id}
                    className={classOf(place)}
                    aria-sort={direction ? ARIA_SORT[direction] : undefined}
                  >
                    <button type="button" className="sort" onClick={() => column.toggleSorting()}>
                      {table.columns[place]?.label}
                      {unit && <span className="muted"> ({unit})</span>}
                      <span className="sort-mark" aria-hidden="true">
                        {direction === "asc" ? "▲" : direction === "desc" ? "▼" : ""}
                      </span>
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.id}>
                {row.original.map((cell, place) => (
                  <td key={place} className={classOf(place)}>
                    <CellText cell={cell} onFind={onFind} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.rows.length > FIRST && (
        <Button look="plain" size="small" onPress={() => setAll(!all)}>
          {all ? `Show the first ${FIRST}` : `Show all ${table.rows.length}`}
        </Button>
      )}
      {table.total > table.rows.length && (
        <p className="muted small">
          The first {integer(table.rows.length)} of {count(table.total, "row")}.
        </p>
      )}
    </>
  );
}
