import { expect, it } from "vitest";
import { freeBeside, viewBeside, viewClear } from "./overlayOffset";

const SIZE = { width: 1000, height: 600 };
const CARD = { x1: 8, y1: 8, x2: 328, y2: 400 };
const VIEW = { zoom: 1, pan: { x: 0, y: 0 } };

it("takes the largest part of the canvas that a card leaves", () => {
  expect(freeBeside(CARD, SIZE)).toEqual({ x1: 328, y1: 0, x2: 1000, y2: 600 });
  expect(freeBeside({ x1: 8, y1: 320, x2: 382, y2: 592 }, { width: 390, height: 600 })).toEqual({
    ...{ x1: 0, y1: 0, x2: 390, y2: 320 },
  });
});

it("moves nothing where nothing is hidden", () => {
  expect(viewBeside([{ x: 500, y: 300 }], CARD, SIZE, VIEW)).toBeNull();
  expect(viewBeside([], CARD, SIZE, VIEW)).toBeNull();
});

it("moves what is hidden beside the card, by no more than that takes", () => {
  const hidden = [
    { x: 100, y: 300 },
    { x: 600, y: 300 },
  ];
  expect(viewBeside(hidden, CARD, SIZE, VIEW)).toEqual({ zoom: 1, pan: { x: 284, y: 0 } });
});

it("keeps the lines between two places in sight as well", () => {
  const around = [
    { x: 80, y: 500 },
    { x: 500, y: 60 },
  ];
  expect(viewBeside(around, CARD, SIZE, VIEW)).toEqual({ zoom: 1, pan: { x: 304, y: 0 } });
});

it("makes smaller what has no room beside the card", () => {
  const wide = [
    { x: 100, y: 300 },
    { x: 1220, y: 300 },
  ];
  // 560 px for 1,120, from 384 on.
  expect(viewBeside(wide, CARD, SIZE, VIEW)).toEqual({ zoom: 0.5, pan: { x: 334, y: 0 } });
});

it("moves a node out from below the card that the card is not about, if that takes no much smaller drawing", () => {
  const about = [{ x: 900, y: 300 }];
  const half = { x: 338, y: 200 };
  expect(viewClear([{ x: 850, y: 300 }], [half], CARD, SIZE, VIEW)).toEqual({
    zoom: 1,
    pan: { x: 46, y: 0 },
  });
  expect(viewClear(about, [{ x: 343, y: 200 }], CARD, SIZE, VIEW)).toBeNull();
  expect(viewClear(about, [{ x: -20, y: 200 }], CARD, SIZE, VIEW)).toBeNull();
  // 560 px for 830 are less than seven tenths.
  expect(viewClear(about, [half, { x: 70, y: 200 }], CARD, SIZE, VIEW)).toBeNull();
  expect(
    viewClear(
      [{ x: 300, y: 300 }],
      [
        { x: 990, y: 300 },
        { x: 70, y: 200 },
      ],
      CARD,
      SIZE,
      VIEW,
    ),
  ).toEqual({
    ...{ zoom: 1, pan: { x: 84, y: 0 } },
  });
});
