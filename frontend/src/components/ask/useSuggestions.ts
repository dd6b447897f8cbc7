import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { entitiesQuery } from "@/api/queries";
import type { EntityMatch } from "@/api/types";
import { useSettled } from "@/components/kit/hooks";

const PAUSE_MS = 120;
/** An endpoint is asked over the network, perhaps somebody else’s. */
const REMOTE_PAUSE_MS = 500;
const NONE: readonly EntityMatch[] = [];

/** A query for the entities that a text names. */
export type EntitySearch = ReturnType<typeof entitiesQuery>;

export interface Suggestions {
  matches: readonly EntityMatch[];
  active: number;
  setActive: (index: number) => void;
  loading: boolean;
  error: unknown;
  /** Moves or picks; true when the key was for the list. */
  onKey: (key: string, pick: (match: EntityMatch) => void) => boolean;
}

/** Matches for `query` in `graph`, with one of them active. Empty while `query` is empty. */
export function useSuggestions(
  graph: string | null,
  query: string,
  remote = false,
  keep: (found: readonly EntityMatch[]) => readonly EntityMatch[] = (found) => found,
): Suggestions {
  const settled = useSettled(query.trim(), remote ? REMOTE_PAUSE_MS : PAUSE_MS);
  return useActive(query, settled, useQuery(entitiesQuery(graph, settled)), keep);
}

/** The same, of whatever names entities for a text. */
export function useMatches(query: string, search: (text: string) => EntitySearch): Suggestions {
  const settled = useSettled(query.trim(), PAUSE_MS);
  return useActive(query, settled, useQuery(search(settled)));
}

const isCalled = ({ label }: EntityMatch, text: string) => label.toLowerCase().includes(text.toLowerCase());

function useActive(
  query: string,
  settled: string,
  answer: UseQueryResult<readonly EntityMatch[]>,
  keep: (found: readonly EntityMatch[]) => readonly EntityMatch[] = (found) => found,
): Suggestions {
  const [choice, setChoice] = useState({ query: "", index: 0 });
  const typed = query.trim();
  // Until the answer to what is typed has come, the last one stays as far as it fits: another name is never offered.
  const fitting = typed && settled ? (answer.data ?? NONE) : NONE;
  const matches = keep(
    typed !== settled || answer.isPlaceholderData
      ? fitting.filter((match) => isCalled(match, typed))
      : fitting,
  );
  const active = choice.query === settled ? Math.min(choice.index, Math.max(0, matches.length - 1)) : 0;
  const setActive = (index: number) => {
    setChoice({ query: settled, index });
  };
  return {
    matches,
    active,
    setActive,
    loading: answer.isFetching || typed !== settled,
    error: answer.error,
    onKey: (key, pick) => {
      const match = matches[active];
      if (!match) return false;
      if (key === "ArrowDown") setActive((active + 1) % matches.length);
      else if (key === "ArrowUp") setActive((active - 1 + matches.length) % matches.length);
      else if (key === "Enter" || key === "Tab") pick(match);
      else return false;
      return true;
    },
  };
}
