// The effect that an edit would have: the facts that go and come, and what is new to the graph.
import type { Effect } from "@/api/edits";
import { count } from "@/view/format";

interface FactsProps {
  sign: "+" | "−";
  label: string;
  facts: readonly (readonly string[])[];
  total: number;
}

function Facts({ sign, label, facts, total }: FactsProps) {
  if (!total) return null;
  return (
    <ul className="effect-facts" aria-label={label}>
      {facts.map((fact) => (
        <li key={fact.join("\0")}>
          <span aria-hidden="true">{sign} </span>
          <bdi>{fact.join(" · ")}</bdi>
        </li>
      ))}
      {total > facts.length && <li className="muted">and {count(total - facts.length, "more fact")}</li>}
    </ul>
  );
}

export function EffectView({ effect }: { effect: Effect }) {
  const { removed, added, new_entities: entities, new_relations: relations } = effect;
  return (
    <section className="effect small" aria-label="Effect" aria-live="polite">
      <p>
        <strong>
          {[removed && `${count(removed, "fact")} removed`, added && `${count(added, "fact")} added`]
            .filter(Boolean)
            .join(", ") || "No fact changes"}
        </strong>
      </p>
      <Facts sign="−" label="Removed facts" facts={effect.removed_sample} total={removed} />
      <Facts sign="+" label="Added facts" facts={effect.added_sample} total={added} />
      {entities.length > 0 && (
        <p className="muted">
          New to the graph: <bdi>{entities.join(", ")}</bdi>
        </p>
      )}
      {relations.length > 0 && (
        <p className="muted">
          New relation: <bdi>{relations.join(", ")}</bdi>
        </p>
      )}
    </section>
  );
}
