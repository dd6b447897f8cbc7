const ENTRIES: [string, string][] = [
  ["topic", "topic"],
  ["answer", "answer"],
  ["path", "on a path"],
  ["faint", "explored"],
  ["small", "mediator, literal"],
  ["fact", "fact"],
  ["jump", "similar"],
  ["doubt", "not in graph"],
];

const AGENT: [string, string] = ["here", "the agent is here"];
const WINDOW: [string, string] = ["window", "in its window"];
const PINNED: [string, string] = ["pinned", "pinned"];

interface Props {
  agent: boolean;
  /** The agent looks at facts before it keeps some. */
  window: boolean;
  pinned: boolean;
}

/** What the marks mean. Drawn with the same tokens as the graph. */
export function Legend({ agent, window, pinned }: Props) {
  const entries = [
    ...ENTRIES,
    ...(pinned ? [PINNED] : []),
    ...(agent ? [AGENT] : []),
    ...(window ? [WINDOW] : []),
  ];
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
