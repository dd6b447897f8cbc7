// The kinds of what is drawn: colour, picture, name and how many; a press selects them.
import { kindsIn, PICTURES, type KindLook } from "@/view/kinds";
import type { GraphModel } from "@/view/graphModel";
import { elide } from "@/view/format";

const PATHS: Readonly<Record<string, string>> = PICTURES;
const SHOWN = 10;

function KindMark({ picture, colour }: KindLook) {
  const color = colour === null ? "var(--graph-strong)" : `var(--kind-${colour + 1})`;
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill={color}>
      {PATHS[picture] ? (
        <path d={PATHS[picture]} fillRule="evenodd" />
      ) : (
        <text x="8" y="13" fontSize="14" fontWeight="bold" textAnchor="middle">
          {picture}
        </text>
      )}
    </svg>
  );
}

interface Props {
  model: GraphModel;
  onSelect: (ids: readonly number[]) => void;
}

export function KindLegend({ model, onSelect }: Props) {
  const kinds = kindsIn(model);
  if (!kinds.length) return null;
  return (
    <ul className="legend kinds" aria-label="Kinds">
      {kinds.slice(0, SHOWN).map((one) => (
        <li key={one.kind}>
          <button
            type="button"
            title={`Select ${one.kind}: ${one.nodes.length}`}
            onClick={() => onSelect(one.nodes)}
          >
            <KindMark {...one} />
            <bdi>{elide(one.kind, 30)}</bdi> <span className="tabular">{one.nodes.length}</span>
          </button>
        </li>
      ))}
      {kinds.length > SHOWN && <li>and {kinds.length - SHOWN} more</li>}
    </ul>
  );
}
