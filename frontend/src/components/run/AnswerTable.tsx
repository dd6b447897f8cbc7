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
import { fetchTable } from "@/api/tables";
import type { Id } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { fileName, saveFile } from "@/components/kit/files";
import { CellFacts } from "./CellFacts";
import { count, integer } from "@/view/format";
import { nameOf } from "@/view/entityNames";
import "./answerTable.css";

const FIRST = 20;
const FILES = [
  ["csv", "CSV", "csv"],
  ["latex", "LaTeX", "tex"],
] as const;
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

interface CellProps {
  cell: TableCell;
  onFind: (entity: number) => void;
  /** Show the facts behind it, where they can be asked for. */
  onOpen: (() => void) | undefined;
}

function CellText({ cell, onFind, onOpen }: CellProps) {
  if (!cell.nodes.length && !onOpen) return <bdi>{cell.text}</bdi>;
  if (!cell.nodes.length) {
    return (
      cell.text && (
        <button type="button" className="link" title="Show the facts behind it" onClick={onOpen}>
          <bdi>{cell.text}</bdi>
        </button>
      )
    );
  }
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

function cellLabel({ columns, rows }: Table, row: number, column: number): string {
  return [rows[row]?.[0]?.text, columns[column]?.label].filter(Boolean).join(" · ");
}

/** What copying the table gives: a line for each row, with tabs between the cells. */
export function tableLines({ columns, rows }: Table): string {
  const heads = columns.map(({ label, unit }) => (unit ? `${label} (${unit})` : label));
  return [heads, ...rows.map((row) => row.map((cell) => cell.text))]
    .map((cells) => cells.join("\t"))
    .join("\n");
}

function Files({ run, name }: { run: Id; name: string }) {
  return (
    <p className="small">
      Download as{" "}
      {FILES.map(([format, label, ending], place) => (
        <span key={format}>
          {place > 0 && " or "}
          <button
            type="button"
            className="link"
            onClick={() => void saveFile(fileName(name, ending), fetchTable(run, format), "The table")}
          >
            {label}
          </button>
        </span>
      ))}
    </p>
  );
}

interface Props {
  /** Whose facts and files can be asked for; null where none can. */
  run: Id | null;
  /** What its file is called. */
  name: string;
  table: Table;
  onFind: (entity: number) => void;
}

export function AnswerTable({ run, name, table, onFind }: Props) {
  const [all, setAll] = useState(false);
  const [opened, setOpened] = useState<{ row: number; column: number } | null>(null);
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
                    <CellText
                      cell={cell}
                      onFind={onFind}
                      onOpen={run === null ? undefined : () => setOpened({ row: row.index, column: place })}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {run !== null && opened && (
        <CellFacts
          run={run}
          {...opened}
          label={cellLabel(table, opened.row, opened.column)}
          onFind={onFind}
          onClose={() => setOpened(null)}
        />
      )}
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
      {run !== null && <Files run={run} name={name} />}
    </>
  );
}
