// The facts that a cell of a table comes from.
import { useQuery } from "@tanstack/react-query";
import type { Id } from "@/api/types";
import { cellFactsQuery } from "@/api/tables";
import { ErrorNotice } from "@/components/kit/feedback";
import { IconButton } from "@/components/kit/controls";
import { count } from "@/view/format";
import { nameOf } from "@/view/entityNames";

interface Props {
  run: Id;
  row: number;
  column: number;
  /** What the cell is called: its row and column. */
  label: string;
  onFind: (entity: number) => void;
  onClose: () => void;
}

export function CellFacts({ run, row, column, label, onFind, onClose }: Props) {
  const { data, error } = useQuery(cellFactsQuery(run, row, column));
  return (
    <section className="cell-facts" aria-label={`Facts behind ${label}`} aria-live="polite">
      <header>
        <h3>
          <bdi>{label}</bdi>
        </h3>
        {data && <span className="muted small">{count(data.total, "fact")}</span>}
        <IconButton icon="close" label="Close" onPress={onClose} />
      </header>
      {error && <ErrorNotice error={error} />}
      {data?.total === 0 && <p className="muted small">No fact of the graph stands behind it.</p>}
      <ul>
        {data?.facts.map(({ source, step, target }) => (
          <li key={`${source.id} ${step.name} ${target.id}`}>
            <button type="button" className="link" onClick={() => onFind(source.id)}>
              <bdi>{nameOf(source)}</bdi>
            </button>{" "}
            <span className="muted">{step.label}</span>{" "}
            <button type="button" className="link" onClick={() => onFind(target.id)}>
              <bdi>{nameOf(target)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {data && data.total > data.facts.length && (
        <p className="muted small">The first {data.facts.length}.</p>
      )}
    </section>
  );
}
