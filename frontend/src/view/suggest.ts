// Which part of the question looks like the name of an entity being typed.

export interface Fragment {
  start: number;
  end: number;
  query: string;
  /** Lower-case words, which need not be a name: only names that begin so are offered. */
  plain?: boolean;
}

const WORDS = /(?:^|\s)(\p{Ll}[\p{L}\p{N}'’-]*(?:\s+\p{Ll}[\p{L}\p{N}'’-]*)*)$/u;
const SHORTEST = 3;

const OPENERS = new Set(
  "which what who whom whose where when why how name list is are was were do does did in on of the a an and or by from to with for at that than more less most least many much it its they them their than about".split(
    " ",
  ),
);
const AT = /@([^@\n]{0,60})$/u;
const NAME = /(?:^|[\s("'])((?:[\p{Lu}\p{N}][\p{L}\p{N}'.&-]*\s+)*[\p{Lu}\p{N}][\p{L}\p{N}'.&-]*)$/u;

/** What to look up for the caret at `caret`: after an `@`, or the capitalised words just before it. */
export function fragmentAt(text: string, caret: number): Fragment | null {
  const before = text.slice(0, caret);
  const named = AT.exec(before);
  if (named) {
    const query = named[1] ?? "";
    return query.trim() ? { start: named.index, end: caret, query } : null;
  }
  const match = NAME.exec(before);
  if (!match?.[1]) return plainAt(before);
  const words = match[1].split(/\s+/);
  // "Which France" starts with a question word, not with a name.
  while (words.length > 0 && OPENERS.has((words[0] ?? "").toLowerCase())) words.shift();
  const query = words.join(" ");
  if (query.length < 2) return null;
  return { start: caret - query.length, end: caret, query };
}

/** The lower-case words before the caret, back to the last word that no name begins with; three of them at most. */
function plainAt(before: string): Fragment | null {
  const words = WORDS.exec(before)?.[1]?.split(/\s+/) ?? [];
  const opener = words.findLastIndex((word) => OPENERS.has(word));
  const query = words.slice(Math.max(opener + 1, words.length - 3)).join(" ");
  if (query.length < SHORTEST || !before.endsWith(query)) return null;
  return { start: before.length - query.length, end: before.length, query, plain: true };
}

/** What is offered for a fragment. */
export function offered<Match extends { label: string }>(
  fragment: Fragment | null,
  matches: readonly Match[],
): readonly Match[] {
  if (!fragment?.plain) return matches;
  const typed = fragment.query.toLowerCase();
  return matches.filter(({ label }) => label.toLowerCase().startsWith(typed));
}

/** `text` with the fragment replaced by `label`, and where the caret goes. */
export function complete(text: string, fragment: Fragment, label: string): { text: string; caret: number } {
  const after = text.slice(fragment.end);
  const gap = after.startsWith(" ") || after.startsWith("?") ? "" : " ";
  return {
    text: text.slice(0, fragment.start) + label + gap + after,
    caret: fragment.start + label.length + gap.length,
  };
}
