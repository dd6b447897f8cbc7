import { expect, it } from "vitest";
import { itemOf as item } from "@/test/review";
import { setComment } from "./review";
import { NO_TABLE, advance, drop, holding, putFirst, receive } from "./reviewTable";

it("sits at the first item and keeps the others ready, each once", () => {
  let table = receive(NO_TABLE, item(1));
  table = receive(receive(receive(table, item(2)), item(1)), item(2));
  expect(holding(table)).toEqual([1, 2]);
  table = advance(table);
  expect([table.desk?.item.id, holding(table), table.empty]).toEqual([2, [2], false]);
  table = advance(receive(table, null));
  expect([table.desk, table.empty]).toEqual([null, true]);
});

it("what was before the analyst waits as they left it", () => {
  const begun = receive(NO_TABLE, item(1));
  const said = { ...begun, desk: begun.desk && setComment(begun.desk, "half", null) };
  const other = receive(NO_TABLE, item(5)).desk;
  const table = other && putFirst(receive(said, item(2)), other);
  expect(table && holding(table)).toEqual([5, 1, 2]);
  expect(table && advance(table).desk?.opinion.comment).toBe("half");
  // Coming back to it does not leave it twice.
  expect(table && said.desk && holding(putFirst(table, said.desk))).toEqual([1, 5, 2]);
});

it("takes an item away wherever it is", () => {
  const table = receive(receive(receive(NO_TABLE, item(1)), item(2)), item(3));
  expect([holding(drop(table, 1)), holding(drop(table, 3)), holding(drop(table, 9))]).toEqual([
    [2, 3],
    [1, 2],
    [1, 2, 3],
  ]);
});
