// Entities of a graph that match what is being typed, as a list under the field.
import type { EntityMatch } from "@/api/types";
import { count } from "@/view/format";
import { nameOf } from "@/view/entityNames";

/** How a match that does not look like one came about. */
const WHY: Record<string, string> = {
  alias: "another name",
  fuzzy: "similar spelling",
  vector: "similar meaning",
};

/** What tells entities of one name apart in an endpoint: the end of the IRI. */
function iri({ about }: EntityMatch): string {
  return /^(https?|urn):/.test(about) ? (about.split(/[/#:]/).filter(Boolean).pop() ?? "") : "";
}

interface Props {
  id: string;
  matches: readonly EntityMatch[];
  active: number;
  onPick: (match: EntityMatch) => void;
  onHover: (index: number) => void;
}

export function optionId(list: string, index: number): string {
  return `${list}-${index}`;
}

export function EntitySuggest({ id, matches, active, onPick, onHover }: Props) {
  return (
    <ul id={id} role="listbox" aria-label="Entities" className="listbox">
      {matches.map((match, index) => (
        <li
          key={match.id}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          className={`item ${index === active ? "active" : ""}`}
          onMouseDown={(event) => {
            // Keep the focus in the field.
            event.preventDefault();
            onPick(match);
          }}
          onMouseMove={() => onHover(index)}
        >
          <span className="elide">
            <bdi>{nameOf(match)}</bdi>
          </span>
          {match.name && (
            <span className="muted small elide">
              <bdi>{match.label}</bdi>
            </span>
          )}
          {match.kind !== "entity" && <span className="badge">{match.kind}</span>}
          {WHY[match.source] && <span className="muted small">{WHY[match.source]}</span>}
          {iri(match) && <span className="muted small elide mono">{iri(match)}</span>}
          {match.degree !== null && <span className="end tabular">{count(match.degree, "fact")}</span>}
        </li>
      ))}
    </ul>
  );
}
