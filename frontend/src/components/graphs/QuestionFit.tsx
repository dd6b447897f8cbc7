// How the questions of a set fit their graph: which names are in it, which are not, and what they may have meant.
import { useQuery } from "@tanstack/react-query";
import { questionCheckQuery, type MissingName } from "@/api/datasets";
import type { QuestionSet } from "@/api/types";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { count, integer, percent } from "@/view/format";

function Missing({
  title,
  names,
  of,
  found,
}: {
  title: string;
  names: readonly MissingName[];
  of: number;
  found: number;
}) {
  const missing = of - found;
  if (missing <= 0) return null;
  return (
    <section className="stack tight">
      <h3>
        {title} <span className="muted tabular">{integer(missing)}</span>
      </h3>
      <ResourceTable
        heads={[["Name"], ["Questions", "num"], ["In the graph, nearest"], ["Question", "hide-narrow"]]}
        compact
      >
        {names.map((one) => (
          <tr key={one.name}>
            <td>
              <bdi>{one.name}</bdi>
            </td>
            <td className="num">{integer(one.questions)}</td>
            <td className="muted">{one.nearest.join(", ") || "nothing like it"}</td>
            <td className="small muted hide-narrow elide cell-text" title={one.question}>
              {one.question}
            </td>
          </tr>
        ))}
      </ResourceTable>
      {names.length < missing && (
        <p className="small muted">
          shown {integer(names.length)} of {integer(missing)}
        </p>
      )}
    </section>
  );
}

function Fit({ set }: { set: QuestionSet }) {
  const { data, error } = useQuery(questionCheckQuery(set.id));
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading what="how the questions fit" />;
  const all = Math.max(1, data.questions);
  const lines: [string, string][] = [
    [percent(data.askable / all), `can be asked: a topic entity is in the graph (${integer(data.askable)})`],
    [
      percent(data.measurable / all),
      `can be measured: an answer is in the graph (${integer(data.measurable)})`,
    ],
    [`${integer(data.topics_found)} of ${integer(data.topics)}`, "topic entities are in the graph"],
    [`${integer(data.answers_found)} of ${integer(data.answers)}`, "answers are in the graph"],
    ...(data.relations
      ? ([
          [`${integer(data.relations_found)} of ${integer(data.relations)}`, "relations of given paths are"],
        ] as [string, string][])
      : []),
    ...(data.passages
      ? ([[`${integer(data.passages_found)} of ${integer(data.passages)}`, "supporting passages are"]] as [
          string,
          string,
        ][])
      : []),
  ];
  return (
    <div className="stack">
      <p className="muted">{count(data.questions, "question")}</p>
      <dl className="facts-list">
        {lines.map(([value, what]) => (
          <div key={what}>
            <dt className="tabular">{value}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      {data.topics_found === data.topics && data.answers_found === data.answers && (
        <p>Every topic entity and every answer is in the graph.</p>
      )}
      <Missing
        title="Topic entities not in the graph"
        names={data.topics_missing}
        of={data.topics}
        found={data.topics_found}
      />
      <Missing
        title="Answers not in the graph"
        names={data.answers_missing}
        of={data.answers}
        found={data.answers_found}
      />
    </div>
  );
}

export function QuestionFit({ set, isOpen, onClose }: DialogProps & { set: QuestionSet }) {
  return (
    <Modal wide title={`How ${set.name} fits ${set.graph_name}`} isOpen={isOpen} onClose={onClose}>
      {isOpen && <Fit set={set} />}
    </Modal>
  );
}
