// The questions of a report, to search and filter; those it did not get right come first.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { reportQuestionsQuery } from "@/api/queries";
import type { ReportDetail, ReportQuestion } from "@/api/reportTypes";
import { Pages, usePage } from "@/components/kit/Pages";
import { Button, Pick } from "@/components/kit/controls";
import { useSettled } from "@/components/kit/hooks";
import { EmptyState, QueryState } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Card } from "@/components/kit/Card";
import { Find } from "@/components/kit/TextField";
import { count, integer, metricValue, milliseconds, score } from "@/view/format";
import { NOT_RIGHT, OUTCOMES, OUTCOME_TONES, askAgain, groupOrder } from "@/view/reports";
import { judgedMarks } from "@/view/judgements";
import { CAUSES } from "@/view/studies";
import { AnswerSets, AnswerSetsKey } from "./AnswerSets";
import { Outcomes } from "./Outcomes";

const SIZE = 25;
const ALL = "all";

function PathsFollowed({ row }: { row: ReportQuestion }) {
  if (!row.paths.length) return null;
  return (
    <details className="row-more small">
      <summary>{count(row.paths.length, "path")} followed</summary>
      <ul>
        {row.paths.map(({ path, score: sure }, index) => (
          <li key={index}>
            <span className="muted tabular">{score(sure)}</span> {path}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Of a question that brings its program: whether that was read. */
function ProgramMark({ row }: { row: ReportQuestion }) {
  if (row.program_exact == null) return null;
  const [text, tone] = row.program_exact
    ? ["right program", "good"]
    : row.program_answers
      ? ["another program, same answers", "warn"]
      : ["not its program", "bad"];
  return <span className={`badge ${tone}`}>{text}</span>;
}

function Row({ report, row }: { report: ReportDetail; row: ReportQuestion }) {
  return (
    <tr>
      <td className="cell-main">
        <div>{row.question}</div>
        <div className="small">
          <AnswerSets answers={row.answers} predicted={row.predicted} nothing={row.no_answer ?? row.error} />
        </div>
        <ProgramMark row={row} />
        {judgedMarks(row).map(([text, tone]) => (
          <span key={text} className={`badge ${tone}`}>
            {text}
          </span>
        ))}
        <PathsFollowed row={row} />
      </td>
      <td>
        <span className={`badge ${OUTCOME_TONES[row.outcome]}`}>{OUTCOMES[row.outcome]}</span>
        {row.cause && (
          <div className="small muted" title={CAUSES[row.cause]}>
            lost at {row.cause}
          </div>
        )}
      </td>
      <td className="num hide-narrow">{row.hops ?? "–"}</td>
      <td className="num hide-narrow">{metricValue("f1", row.f1)}</td>
      <td className="num hide-narrow">{milliseconds(row.latency_ms)}</td>
      <td className="acts">
        <Link
          className="btn small"
          to={askAgain(report, row.question)}
          title="With the same method and checkpoint"
        >
          <span>
            Ask<span className="hide-narrow"> this question</span>
          </span>
        </Link>
      </td>
    </tr>
  );
}

export function QuestionRows({ report }: { report: ReportDetail }) {
  const [params, put] = useUrl();
  const show = params.get("show") ?? NOT_RIGHT;
  const hops = params.get("hops") ?? "";
  const cause = params.get("cause") ?? "";
  const causes = Object.keys(CAUSES).filter((name) => (report.causes[name] ?? 0) > 0);
  const [page, setPage] = usePage();
  const [text, setText] = useState(params.get("q") ?? "");
  const q = useSettled(text.trim(), 200);
  const rows = useQuery(
    reportQuestionsQuery(report.id, {
      page,
      page_size: SIZE,
      ...(show !== ALL && { outcome: show }),
      ...(hops && { hops }),
      ...(cause && { cause }),
      ...(q && { q }),
    }),
  );
  const groups = Object.keys(report.breakdowns.hops ?? {}).filter((one) => /^\d+$/.test(one));
  const filter = (change: Record<string, string | null>) => {
    put({ page: null, ...change });
  };
  const clear = () => {
    setText("");
    filter({ show: ALL, hops: null, cause: null, q: null });
  };
  return (
    <Card
      title="Questions"
      wrap
      beside={
        <>
          {rows.data && (
            <span className="muted small tabular" role="status">
              {integer(rows.data.count)} of {integer(report.n ?? 0)}
            </span>
          )}
          <AnswerSetsKey />
        </>
      }
      acts={
        <>
          <Find
            label="Search the questions"
            value={text}
            onChange={(typed) => {
              setText(typed);
              filter({ q: typed.trim() });
            }}
          />
          <Pick
            label="Outcome"
            value={show}
            options={[
              { id: NOT_RIGHT, label: "Not right" },
              { id: ALL, label: "All questions" },
              ...Object.entries(OUTCOMES).map(([id, label]) => ({ id, label })),
            ]}
            onChange={(id) => filter({ show: id === NOT_RIGHT ? null : id })}
          />
          {causes.length > 0 && (
            <Pick
              label="Lost at"
              value={cause || ALL}
              options={[
                { id: ALL, label: "Lost anywhere" },
                ...causes.map((id) => ({
                  id,
                  label: `Lost at ${id}`,
                  detail: CAUSES[id],
                  end: integer(report.causes[id] ?? 0),
                })),
              ]}
              onChange={(id) => filter({ cause: id === ALL ? null : id })}
            />
          )}
          {groups.length > 1 && (
            <Pick
              label="Hops"
              value={hops || ALL}
              options={[
                { id: ALL, label: "Any hops" },
                ...groups.sort(groupOrder).map((id) => ({ id, label: `${id} hop${id === "1" ? "" : "s"}` })),
              ]}
              onChange={(id) => filter({ hops: id === ALL ? null : id })}
            />
          )}
        </>
      }
    >
      <Outcomes
        report={report}
        shown={show === ALL ? "" : show}
        onShow={(outcome) => filter({ show: outcome || null })}
      />
      <QueryState of={rows} what="questions" retry />
      {rows.data?.count === 0 && (
        <EmptyState
          title={
            show === NOT_RIGHT && !q && !hops ? "Every question was answered right" : "No question matches"
          }
          act={<Button onPress={clear}>Show all questions</Button>}
        />
      )}
      {rows.data && rows.data.count > 0 && (
        <ResourceTable
          heads={[
            ["Question and answers"],
            ["Outcome"],
            ["Hops", "num hide-narrow"],
            ["F1", "num hide-narrow"],
            ["Took", "num hide-narrow"],
          ]}
          acts
        >
          {rows.data.results.map((row) => (
            <Row key={row.id} report={report} row={row} />
          ))}
        </ResourceTable>
      )}
      <Pages what="the questions" page={page} size={SIZE} data={rows.data} onPage={setPage} />
    </Card>
  );
}
