// Sentences that answers cite, and the texts they stand in, in pieces.
import type { Citation } from "@/api/events";
import type { RunView } from "./runView";

/** A stretch of a passage. `answers` are the places, from 0, of the answers that cite it; [] when none does. */
export interface Piece {
  text: string;
  start: number;
  answers: readonly number[];
}

/** A sentence as the address keeps it: passage, start and end. */
export function citationText({ passage, start, end }: Citation): string {
  return `${passage}.${start}.${end}`;
}

export function citationOf(text: string | null): Citation | null {
  const [, passage, start, end] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text ?? "") ?? [];
  return passage === undefined ? null : { passage: Number(passage), start: Number(start), end: Number(end) };
}

/**
 * The text of a passage cut where what cites it changes. Offsets count characters as the server does, by code point,
 * which is not how a string of this language counts them.
 */
export function piecesOf(text: string, passage: number, answers: RunView["answers"]): Piece[] {
  const characters = Array.from(text);
  const spans = answers.flatMap((answer, place) =>
    answer.citations
      .filter((one) => one.passage === passage && one.start < one.end)
      .map(({ start, end }) => ({ start, end: Math.min(end, characters.length), place })),
  );
  const cuts = [...new Set([0, ...spans.flatMap(({ start, end }) => [start, end]), characters.length])]
    .filter((cut) => cut <= characters.length)
    .sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1] ?? characters.length;
    const citing = spans.filter((span) => span.start <= start && span.end >= end).map((span) => span.place);
    return {
      text: characters.slice(start, end).join(""),
      start,
      answers: [...new Set(citing)].sort((a, b) => a - b),
    };
  });
}

/** The place of each retrieved passage by its id, from 1. */
export function passageRanks(view: RunView): ReadonlyMap<number, number> {
  return new Map(view.passages.map(({ passage }, index) => [passage.id, index + 1]));
}
