// What a graph is like: how connected, which relations with an example of each, parts, text, and its schema.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { importReportQuery, statisticsQuery, type GraphStatistics, type ImportReport } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { ErrorNotice, Loading, Notice } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Card } from "@/components/kit/Card";
import { count, integer, percent } from "@/view/format";
import { KeptModel } from "./KeptModel";
import { SchemaView } from "./SchemaView";

const HEIGHT = 96;
const BAR = 26;
const SHOWN = 12;

function binName({ low, high }: { low: number; high: number }): string {
  return low === high ? String(low) : `${integer(low)}–${integer(high)}`;
}

/** How many entities have how many facts; heights are logarithmic, or a hub would be no line at all. */
function Degrees({ figures }: { figures: GraphStatistics }) {
  const degrees = figures.degrees.filter((bin) => bin.low > 0 || bin.count > 0);
  const top = Math.log10(1 + Math.max(1, ...degrees.map((bin) => bin.count)));
  return (
    <figure className="degrees">
      <figcaption className="small">
        Facts per entity <span className="muted">mean {figures.mean_degree.toFixed(1)}, median</span>{" "}
        <span className="muted">{figures.median_degree}</span>
      </figcaption>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- it scrolls */}
      <div className="scroll-x" role="group" aria-label="Entities by the number of their facts" tabIndex={0}>
        <table className="bars">
          <caption className="sr-only">Entities by the number of their facts</caption>
          <tbody>
            <tr className="up">
              {degrees.map((bin) => (
                <td key={bin.low}>
                  <span className="small tabular">{bin.count ? integer(bin.count) : ""}</span>
                  <span
                    className="column"
                    style={{
                      height: `${(Math.log10(1 + bin.count) / top) * HEIGHT}px`,
                      minWidth: `${BAR}px`,
                    }}
                  />
                </td>
              ))}
            </tr>
            <tr>
              {degrees.map((bin) => (
                <th key={bin.low} scope="col" className="small muted tabular">
                  {binName(bin)}
                </th>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <p className="small muted">Entities by facts, on a logarithmic scale.</p>
    </figure>
  );
}

function Relations({ figures }: { figures: GraphStatistics }) {
  const shown = figures.top_relations.slice(0, SHOWN);
  return (
    <div>
      <h3>Relations</h3>
      <table className="table compact">
        <thead>
          <tr>
            <th>Relation</th>
            <th className="num">Facts</th>
            <th className="hide-narrow">For example</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.relation}>
              <td title={row.name}>
                <bdi>{row.label}</bdi>
              </td>
              <td className="num">{integer(row.count)}</td>
              <td
                dir="ltr"
                className="small muted hide-narrow elide cell-text"
                title={row.example.join(" → ")}
              >
                <bdi>{row.example[0]}</bdi> <span className="rel">→</span> <bdi>{row.example[2]}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < figures.relations && (
        <p className="small muted">
          shown {integer(shown.length)} of {integer(figures.relations)}, the most used first
        </p>
      )}
    </div>
  );
}

function Parts({ figures }: { figures: GraphStatistics }) {
  const { components, text } = figures;
  const all = Math.max(1, figures.entities);
  const lines: [string, string][] = [
    [
      count(components.count, "part"),
      `the largest holds ${percent(components.largest_share)} of the entities`,
    ],
    ...(figures.isolated
      ? ([[integer(figures.isolated), "entities without a fact"]] as [string, string][])
      : []),
    ...(figures.unnamed
      ? ([[integer(figures.unnamed), "entities without a name"]] as [string, string][])
      : []),
    ...(figures.self_loops
      ? ([[integer(figures.self_loops), "facts from an entity to itself"]] as [string, string][])
      : []),
    ...(text.entities_with_descriptions
      ? ([[percent(text.entities_with_descriptions / all), "of the entities have a description"]] as [
          string,
          string,
        ][])
      : []),
    ...(text.passages
      ? ([
          [
            percent(text.facts_with_passages / Math.max(1, figures.triples)),
            "of the facts name the passage they are from",
          ],
        ] as [string, string][])
      : []),
  ];
  return (
    <div className="stack">
      <h3>Connected</h3>
      <dl className="facts-list small">
        {lines.map(([value, what]) => (
          <div key={what}>
            <dt className="tabular">{value}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      {figures.hubs.length > 0 && (
        <>
          <h3>Most connected</h3>
          <ul className="small hubs">
            {figures.hubs.slice(0, 8).map((hub) => (
              <li key={hub.entity}>
                <Link to={`?entity=${hub.entity}#browse`}>
                  <bdi>{hub.label}</bdi>
                </Link>{" "}
                <span className="muted tabular">{integer(hub.count)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

export function Figures({ graph, admin }: { graph: Graph; admin: boolean }) {
  const hash = graph.snapshot?.hash ?? "";
  const { data, error } = useQuery({ ...statisticsQuery(graph.id, hash), enabled: hash !== "" });
  if (!hash || data?.triples === 0) return null;
  return (
    <Card title="Overview" id="figures">
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Loading what="the figures" />}
      {data && (
        <div className="body portrait">
          <div className="stack">
            <Degrees figures={data} />
            <Parts figures={data} />
          </div>
          <Relations figures={data} />
          <SchemaView graph={graph} />
          <KeptModel graph={graph} admin={admin} />
        </div>
      )}
    </Card>
  );
}

const NOTED: [keyof Omit<ImportReport, "files" | "edits_applied" | "edits_failed">, string][] = [
  ["duplicates", "given more than once, kept once"],
  ["self_loops", "from an entity to itself"],
  ["dangling", "entities declared and in no fact"],
  ["blank_labels", "rows left out for a blank name"],
  ["problems", "rows left out in all"],
  ["odd_encodings", "files that are not UTF-8"],
];

/** How the import of the version in use went, file by file. */
export function Validation({ graph }: { graph: Graph }) {
  const hash = graph.snapshot?.hash ?? "";
  const { data } = useQuery({ ...importReportQuery(graph.id, hash), enabled: hash !== "" });
  if (!data) return null;
  return (
    <Card title="Import report" id="validation">
      <div className="body">
        <dl className="facts-list small">
          {NOTED.map(([name, what]) => (
            <div key={name} className={data[name] ? "" : "muted"}>
              <dt className="tabular">{integer(data[name])}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        {data.edits_failed.length > 0 && (
          <Notice
            tone="warn"
            title={`${integer(data.edits_failed.length)} of ${count(data.edits_failed.length + data.edits_applied, "edit")} by hand could not be applied again.`}
          >
            <ul>
              {data.edits_failed.map((failure) => (
                <li key={failure}>
                  <bdi>{failure}</bdi>
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {data.files.length > 0 && (
          <ResourceTable
            heads={[
              ["File"],
              ["Read as"],
              ["Good rows", "num"],
              ["Left out", "num"],
              ["Encoding", "hide-narrow"],
            ]}
            compact
          >
            {data.files.map((file) => (
              <tr key={file.name}>
                <td className="elide cell-text" title={file.name}>
                  <bdi>{file.name}</bdi>
                </td>
                <td className="muted">{file.same_as ? `same as ${file.same_as}` : file.format}</td>
                <td className="num">{integer(file.rows)}</td>
                <td className="num">{integer(file.problems)}</td>
                <td className="muted hide-narrow">{file.encoding}</td>
              </tr>
            ))}
          </ResourceTable>
        )}
      </div>
    </Card>
  );
}
