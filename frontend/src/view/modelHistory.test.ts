import { expect, it } from "vitest";
import type { DataModel } from "@/api/dataModel";
import { NO_CHANGES, changeColumn, changeKind, changeReference } from "./dataModel";
import { NO_HISTORY, listEdits, record, redo, undo } from "./modelHistory";

const MODEL = { kinds: [{ table: "lakes.csv", label: "lake" }], references: [] } as unknown as DataModel;
const named = changeKind(NO_CHANGES, "lakes.csv", { name: ["title", "part"] });
const united = changeColumn(named, "lakes.csv", "depth", { unit: "m" });

it("undoes and redoes step by step, and forgets what was undone with the next step", () => {
  const both = record(record(NO_HISTORY, named), united);
  expect(undo(both).now).toEqual(named);
  expect(undo(undo(undo(both))).now).toEqual(NO_CHANGES);
  expect(redo(undo(both))).toEqual(both);
  expect(redo(both)).toEqual(both);
  expect(redo(record(undo(both), NO_CHANGES)).now).toEqual(NO_CHANGES);
});

it("lists what holds, the latest first, each with the corrections without it", () => {
  const left_out = changeColumn(united, "lakes.csv", "fax", { is_ignored: true });
  const reference = { table: "lakes.csv", column: "land", target: "lands.csv", target_column: "id" };
  const all = [named, united, left_out, changeReference(left_out, { ...reference, is_used: false })].reduce(
    record,
    NO_HISTORY,
  );
  const edits = listEdits(MODEL, all);
  expect(edits.map((edit) => edit.text)).toEqual([
    "land (lake) refers to nothing",
    "fax (lake) is left out",
    "Unit of depth (lake): m",
    "Name of lake: title and part",
  ]);
  expect(edits[3]?.without.kinds).toEqual([
    {
      table: "lakes.csv",
      columns: [
        { name: "depth", unit: "m" },
        { name: "fax", is_ignored: true },
      ],
    },
  ]);
  expect(edits[1]?.without.kinds).toEqual(united.kinds);
});

it("does not list what was changed again or taken back", () => {
  const again = changeColumn(united, "lakes.csv", "depth", { unit: "ft" });
  const history = [named, united, again].reduce(record, NO_HISTORY);
  expect(listEdits(MODEL, history).map((edit) => edit.text)).toEqual([
    "Unit of depth (lake): ft",
    "Name of lake: title and part",
  ]);
  // Without the latest unit the one before it holds again.
  expect(listEdits(MODEL, history)[0]?.without).toEqual(united);
  expect(listEdits(MODEL, record(history, NO_CHANGES))).toEqual([]);
});
