// What one version of a graph has that another has not.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { diffQuery } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { Modal, PickField } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { count, integer } from "@/view/format";

interface SideProps {
  title: string;
  facts: number;
  sample: readonly (readonly string[])[];
  entities: number;
  named: readonly string[];
  relations: readonly string[];
  passages: number;
}

function Side({ title, facts, sample, entities, named, relations, passages }: SideProps) {
  return (
    <section className="stack tight">
      <h3>
        {title} <span className="muted tabular">{count(facts, "fact")}</span>
      </h3>
      {relations.length > 0 && (
        <p className="small">
          {count(relations.length, "relation")}: {relations.join(", ")}
        </p>
      )}
      {entities > 0 && (
        <p className="small">
          {count(entities, "entity", "entities")}: {named.join(", ")}
          {named.length < entities && ` and ${integer(entities - named.length)} more`}
        </p>
      )}
      {passages > 0 && <p className="small">{count(passages, "passage")}</p>}
      {sample.length > 0 && (
        <ul className="step-facts small">
          {sample.map((fact) => (
            <li key={fact.join("\t")}>
              {fact[0]} <span className="rel">→ {fact[1]}</span> {fact[2]}
            </li>
          ))}
        </ul>
      )}
      {sample.length < facts && (
        <p className="small muted">
          shown {integer(sample.length)} of {integer(facts)}
        </p>
      )}
    </section>
  );
}

function Compared({ graph, from, to }: { graph: Graph; from: number; to: number }) {
  const { data, error } = useQuery(diffQuery(graph.id, from, to));
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading what="what changed" />;
  return (
    <>
      <p className="muted">
        {data.added + data.removed === 0 ? "The facts are the same: " : ""}
        {count(data.kept, "fact")} in both.
      </p>
      <div className="two-columns">
        <Side
          title="Added"
          facts={data.added}
          sample={data.added_sample}
          entities={data.entities_gained}
          named={data.entities_gained_sample}
          relations={data.relations_gained}
          passages={data.passages_gained}
        />
        <Side
          title="Removed"
          facts={data.removed}
          sample={data.removed_sample}
          entities={data.entities_lost}
          named={data.entities_lost_sample}
          relations={data.relations_lost}
          passages={data.passages_lost}
        />
      </div>
    </>
  );
}

interface VersionDiffProps {
  graph: Graph;
  versions: readonly number[];
  /** The version that is looked at; null while closed. */
  to: number | null;
  onClose: () => void;
}

export function VersionDiff({ graph, versions, to, onClose }: VersionDiffProps) {
  const [chosen, setChosen] = useState<{ to: number; from: number } | null>(null);
  const before = to === null ? undefined : versions.find((one) => one < to);
  const from = chosen !== null && chosen.to === to ? chosen.from : before;
  return (
    <Modal wide title={`What changed in v${to ?? ""}`} isOpen={to !== null} onClose={onClose}>
      {to !== null && from !== undefined && (
        <div className="stack">
          <PickField
            label="Against"
            options={versions
              .filter((one) => one !== to)
              .map((one) => ({ id: String(one), label: `v${one}` }))}
            value={String(from)}
            onChange={(id) => setChosen({ to, from: Number(id) })}
          />
          <Compared graph={graph} from={from} to={to} />
        </div>
      )}
      {to !== null && from === undefined && <p className="muted">There is no other version.</p>}
    </Modal>
  );
}
