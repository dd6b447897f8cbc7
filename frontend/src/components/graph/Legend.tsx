import type { GraphModel } from "@/view/graphModel";

const ENTRIES: [string, string][] = [
  ["topic", "topic"],
  ["answer", "answer"],
  ["path", "on a path"],
  ["faint", "explored"],
  ["small", "value or mediator"],
  ["fact", "fact"],
  ["jump", "similar"],
  ["doubt", "not in graph"],
];

const AGENT: [string, string] = ["here", "the agent is here"];
const WINDOW: [string, string] = ["window", "in its window"];
const PINNED: [string, string] = ["pinned", "pinned"];

interface Props {
  model: GraphModel;
  agent: boolean;
  /** The agent looks at facts before it keeps some. */
  window: boolean;
  pinned: boolean;
}

/** The marks that the drawing has. Lines are told apart only where there are several kinds of them. */
function marksOf({ nodes, edges }: GraphModel): Set<string> {
  const marks = new Set<string>(nodes.map(({ role }) => role));
  if (nodes.some(({ kind }) => kind !== "entity")) marks.add("small");
  if (edges.some(({ kind }) => kind === "jump")) marks.add("jump");
  if (edges.some(({ verified }) => !verified)) marks.add("doubt");
  if (marks.has("jump") || marks.has("doubt")) marks.add("fact");
  return marks;
}

/** What the marks mean that are drawn, with the same tokens as the graph. */
export function Legend({ model, agent, window, pinned }: Props) {
  const marks = marksOf(model);
  const entries = [
    ...ENTRIES.filter(([mark]) => marks.has(mark)),
    ...(pinned ? [PINNED] : []),
    ...(agent ? [AGENT] : []),
    ...(window ? [WINDOW] : []),
  ];
  if (!entries.length || !model.nodes.length) return null;
  return (
    <ul className="legend" aria-label="Legend">
      {entries.map(([mark, text]) => (
        <li key={mark}>
          <svg viewBox="0 0 20 12" width="20" height="12" aria-hidden="true" className={`mark m-${mark}`}>
            {mark === "answer" ? (
              <path d="M10 .5l1.700 3.600 3.900.5-2.900 2.700.8 3.900-3.500-1.900-3.500 1.900.8-3.900-2.900-2.700 3.900-.5z" />
            ) : mark === "small" ? (
              <path d="M10 2.500l3.500 3.500-3.500 3.500L6.500 6z" />
            ) : ["fact", "jump", "doubt"].includes(mark) ? (
              <path d="M1 6h18" />
            ) : (
              <circle cx="10" cy="6" r="4.200" />
            )}
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}
