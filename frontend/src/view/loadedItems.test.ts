import { expect, it } from "vitest";
import { itemOf } from "@/test/review";
import { openAnnotation, setComment } from "./review";
import { NOTHING_LOADED, advance, drop, holding, putFirst, receive } from "./loadedItems";

const item = (id: number) => openAnnotation(itemOf(id));

it("sits at the first item and keeps the others ready, each once", () => {
  let loaded = receive(NOTHING_LOADED, item(1));
  loaded = receive(receive(receive(loaded, item(2)), item(1)), item(2));
  expect(holding(loaded)).toEqual([1, 2]);
  loaded = advance(loaded);
  expect([loaded.current?.item.id, holding(loaded), loaded.empty]).toEqual([2, [2], false]);
  loaded = advance(receive(loaded, null));
  expect([loaded.current, loaded.empty]).toEqual([null, true]);
});

it("what was before the analyst waits as they left it", () => {
  const begun = receive(NOTHING_LOADED, item(1));
  const said = { ...begun, current: begun.current && setComment(begun.current, "half", null) };
  const other = receive(NOTHING_LOADED, item(5)).current;
  const loaded = other && putFirst(receive(said, item(2)), other);
  expect(loaded && holding(loaded)).toEqual([5, 1, 2]);
  expect(loaded && advance(loaded).current?.opinion.comment).toBe("half");
  // Coming back to it does not leave it twice.
  expect(loaded && said.current && holding(putFirst(loaded, said.current))).toEqual([1, 5, 2]);
});

it("takes an item away wherever it is", () => {
  const loaded = receive(receive(receive(NOTHING_LOADED, item(1)), item(2)), item(3));
  expect([holding(drop(loaded, 1)), holding(drop(loaded, 3)), holding(drop(loaded, 9))]).toEqual([
    [2, 3],
    [1, 2],
    [1, 2, 3],
  ]);
});
