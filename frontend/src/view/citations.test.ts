import { describe, expect, it } from "vitest";
import type { Answer } from "@/api/events";
import { citationOf, citationText, piecesOf } from "./citations";

const citing = (...citations: [number, number, number][]): Answer => ({
  label: "",
  score: 1,
  entity: null,
  chains: [],
  verified: true,
  citations: citations.map(([passage, start, end]) => ({ passage, start, end })),
  guess: false,
  beside: [],
  display: "",
  owner: "",
});

describe("the pieces of a passage", () => {
  const text = "One. Two. Three.";

  it("are one when nothing is cited, or another passage is", () => {
    expect(piecesOf(text, 7, [citing([8, 0, 4])])).toEqual([{ text, start: 0, answers: [] }]);
  });

  it("part at the cited sentence, with the answers that cite it", () => {
    expect(piecesOf(text, 7, [citing([7, 5, 9]), citing(), citing([7, 5, 9])])).toEqual([
      { text: "One. ", start: 0, answers: [] },
      { text: "Two.", start: 5, answers: [0, 2] },
      { text: " Three.", start: 9, answers: [] },
    ]);
  });

  it("part again where two citations overlap, and end with the text", () => {
    expect(piecesOf(text, 7, [citing([7, 0, 9]), citing([7, 5, 99])])).toEqual([
      { text: "One. ", start: 0, answers: [0] },
      { text: "Two.", start: 5, answers: [0, 1] },
      { text: " Three.", start: 9, answers: [1] },
    ]);
  });

  it("count characters, not the halves of wide ones", () => {
    expect(piecesOf("𝔸𝔹. Two.", 1, [citing([1, 4, 8])]).map((piece) => piece.text)).toEqual(["𝔸𝔹. ", "Two."]);
  });
});

it("keeps a citation in the address, and ignores what is none", () => {
  const cite = { passage: 12, start: 0, end: 54 };
  expect(citationText(cite)).toBe("12.0.54");
  expect(citationOf("12.0.54")).toEqual(cite);
  expect([citationOf(null), citationOf("12"), citationOf("a.b.c")]).toEqual([null, null, null]);
});
