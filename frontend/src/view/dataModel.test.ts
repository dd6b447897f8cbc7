import { describe, expect, it } from "vitest";
import type { DataModel } from "@/api/dataModel";
import {
  NO_CHANGES,
  NotAModelError,
  changeColumn,
  changeKind,
  changeReference,
  chooseTarget,
  countChanges,
  findKinds,
  labelColumn,
  listNameColumns,
  matchText,
  readModelFile,
} from "./dataModel";
import { layOut } from "./modelDiagram";

const column = (name: string, type: "text" | "number" = "text") => ({
  name,
  label: name,
  type,
  filled: 4,
  distinct: 4,
  samples: ["1"],
  unit: "",
  is_ignored: false,
});

const MODEL: DataModel = {
  kinds: [
    {
      table: "orders.csv",
      label: "order",
      count: 830,
      name: [],
      key: "no",
      columns: [column("no", "number"), column("customer id"), column("note")],
      name_candidates: [],
      examples: [],
      is_fixed: false,
    },
    {
      table: "customers.csv",
      label: "customer",
      count: 91,
      name: ["company"],
      key: "id",
      columns: [column("id"), column("company"), column("contact")],
      name_candidates: ["company", "contact"],
      examples: [],
      is_fixed: false,
    },
  ],
  references: [
    {
      table: "orders.csv",
      column: "customer id",
      target: "customers.csv",
      target_column: "id",
      label: "customer",
      matched: 820,
      filled: 830,
      unmatched: ["7", "12"],
      is_used: true,
    },
  ],
  warnings: [],
  is_sampled: false,
  edges: [],
  languages: [],
};

describe("corrections of a data model", () => {
  it("says only what is not as inferred, and takes it back", () => {
    const named = changeKind(NO_CHANGES, "customers.csv", { name: ["contact"] });
    const both = changeColumn(named, "customers.csv", "id", { unit: "kg" });
    expect(both.kinds).toEqual([
      { table: "customers.csv", name: ["contact"], columns: [{ name: "id", unit: "kg" }] },
    ]);
    expect(countChanges(both)).toBe(2);
    const back = changeColumn(changeKind(both, "customers.csv", { name: undefined }), "customers.csv", "id", {
      unit: undefined,
    });
    expect(back.kinds).toEqual([]);
  });

  it("turns a reference off, and another one on by the target's key", () => {
    const off = chooseTarget(MODEL, "orders.csv", "customer id", null);
    expect(off).toMatchObject({ target: "customers.csv", is_used: false });
    expect(chooseTarget(MODEL, "orders.csv", "customer id", "customers.csv")).toBeNull();
    expect(chooseTarget(MODEL, "orders.csv", "note", "customers.csv")).toEqual({
      table: "orders.csv",
      column: "note",
      target: "customers.csv",
      target_column: "id",
      is_used: true,
    });
  });

  it("says one thing of a column's reference, the last", () => {
    const off = chooseTarget(MODEL, "orders.csv", "customer id", null);
    if (!off) throw new Error("nothing to turn off");
    const changes = changeReference(changeReference(NO_CHANGES, off), { ...off, is_used: true });
    expect(changes.references).toEqual([{ ...off, is_used: true }]);
  });

  it("calls a reference as its column is called", () => {
    const changes = labelColumn(MODEL, NO_CHANGES, "orders.csv", "customer id", "bought by");
    expect(changes.references).toMatchObject([{ column: "customer id", label: "bought by" }]);
  });

  it("reads what can be corrected from a file", () => {
    expect(readModelFile(JSON.stringify(MODEL)).kinds[1]).toMatchObject({
      table: "customers.csv",
      key: "id",
    });
    expect(readModelFile(JSON.stringify(MODEL)).kinds[1]).not.toHaveProperty("count");
    expect(() => readModelFile("{")).toThrow(new NotAModelError("it is not JSON"));
    expect(() => readModelFile("[]")).toThrow(new NotAModelError("it names no kinds and no references"));
  });
});

describe("words of a data model", () => {
  it("says what matches", () => {
    const [reference] = MODEL.references;
    expect(reference && matchText(reference)).toBe("820 of 830 match; not found: 7, 12");
  });

  it("finds kinds by their columns and lists what may name them", () => {
    expect(findKinds(MODEL.kinds, "COMPANY").map((kind) => kind.label)).toEqual(["customer"]);
    const [, customer] = MODEL.kinds;
    expect(customer && listNameColumns(customer)).toEqual(["company", "contact", "id"]);
  });
});

describe("the diagram of a data model", () => {
  it("draws what refers left of what it refers to", () => {
    const { boxes, arrows } = layOut(MODEL);
    expect(boxes.map(({ label, x, y }) => [label, x, y])).toEqual([
      ["order", 0, 0],
      ["customer", 224, 0],
    ]);
    expect(arrows).toEqual([{ key: "orders.csv\ncustomer id", path: "M168 38C196 38 196 14 224 14" }]);
  });
});
