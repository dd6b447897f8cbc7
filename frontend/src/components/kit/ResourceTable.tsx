// A table of things that one can look at and act on: its head, and a row for each.
import type { ReactNode } from "react";

/** What a column is called, and the classes of its head: `num` where figures stand, `hide-narrow` where a phone has no room. */
export type Head = readonly [label: ReactNode, className?: string | undefined, title?: string];

interface Props {
  heads: readonly Head[];
  /** The last column holds buttons, and has no name that is seen. */
  acts?: boolean;
  compact?: boolean;
  card?: boolean;
  children: ReactNode;
}

export function ResourceTable({ heads, acts, compact, card, children }: Props) {
  return (
    <div className={card ? "card scroll-x" : "scroll-x"}>
      <table className={compact ? "table compact" : "table"}>
        <thead>
          <tr>
            {heads.map(([label, className, title], place) => (
              <th key={place} className={className} title={title}>
                {label}
              </th>
            ))}
            {acts && (
              <th>
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
