// Which part of the question looks like the name of an entity being typed.

export interface Fragment {
  start: number;
  end: number;
  query: string;
}

const OPENERS = new Set(
  "which what who whom whose where when why how name list is are was were do does did in on of the a an and or".split(
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
  if (!match?.[1]) return null;
  const words = match[1].split(/\s+/);
  // "Which France" starts with a question word, not with a name.
  while (words.length > 0 && OPENERS.has((words[0] ?? "").toLowerCase())) words.shift();
  const query = words.join(" ");
  if (query.length < 2) return null;
  return { start: caret - query.length, end: caret, query };
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
