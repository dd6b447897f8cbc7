// What changed from one report to another: questions gained, lost, or answered otherwise.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { changedQuestionsQuery, compareMethods, keys } from "@/api/queries";
import type { ChangedQuestion, Report, ReportDetail } from "@/api/reportTypes";
import { Pages, usePage } from "@/components/kit/Pages";
import { Button, Pick } from "@/components/kit/controls";
import { useSettled } from "@/components/kit/hooks";
import { EmptyState, troubleOf, QueryState } from "@/components/kit/feedback";
import { useUrl } from "@/components/kit/url";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { Card } from "@/components/kit/Card";
import { Find } from "@/components/kit/TextField";
import { integer } from "@/view/format";
import { useMethodName } from "@/components/kit/useMethodName";
import { reportLabel } from "@/view/reports";
import { toast } from "@/store/toasts";
import { AnswerSets, AnswerSetsKey } from "./AnswerSets";

const SIZE = 25;
const ALL = "all";
const TONES: Record<ChangedQuestion["change"], string> = { gained: "good", lost: "bad", changed: "warn" };

function member(report: Report) {
  return { method: report.method, ...(report.checkpoint !== null && { checkpoint: report.checkpoint }) };
}

function Row({ row, a, b }: { row: ChangedQuestion; a: ReportDetail; b: ReportDetail }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const methodName = useMethodName();
  const both = useMutation({
    mutationFn: () =>
      compareMethods({
        graph: a.graph,
        question: row.question,
        methods: [member(a), member(b)],
        budget: a.budget,
        seed: a.seed,
      }),
    onSuccess: (group) => {
      client.setQueryData([...keys.comparisons, group.id], group);
      void navigate(`/compare/${group.id}`);
    },
    onError: (error) => toast(`It could not be asked. ${troubleOf(error).message} ${troubleOf(error).hint}`),
  });
  return (
    <tr>
      <td>
        <span className={`badge ${TONES[row.change]}`}>{row.change}</span>
      </td>
      <td className="cell-main">
        <div>{row.question}</div>
        <dl className="two-answers small">
          <dt>{reportLabel(a, methodName)}</dt>
          <dd>
            <AnswerSets
              answers={row.answers}
              predicted={row.a.predicted}
              nothing={row.a.no_answer ?? row.a.error}
            />
          </dd>
          <dt>{reportLabel(b, methodName)}</dt>
          <dd>
            <AnswerSets
              answers={row.answers}
              predicted={row.b.predicted}
              nothing={row.b.no_answer ?? row.b.error}
            />
          </dd>
        </dl>
      </td>
      <td className="num hide-narrow">{row.hops ?? "–"}</td>
      <td className="acts">
        <Button size="small" isDisabled={both.isPending} onPress={() => both.mutate()}>
          Ask both
        </Button>
      </td>
    </tr>
  );
}

interface Props {
  a: ReportDetail;
  b: ReportDetail;
  counts: { gained: number; lost: number; changed: number } | undefined;
}

export function ChangedQuestions({ a, b, counts }: Props) {
  const [params, put] = useUrl();
  const change = params.get("change") ?? "";
  const [page, setPage] = usePage();
  const [text, setText] = useState(params.get("q") ?? "");
  const q = useSettled(text.trim(), 200);
  const rows = useQuery(
    changedQuestionsQuery(String(a.id), String(b.id), {
      page,
      page_size: SIZE,
      ...(change && { change }),
      ...(q && { q }),
    }),
  );
  const filtered = Boolean(change || q);
  return (
    <Card
      title="Questions that changed"
      wrap
      beside={<AnswerSetsKey />}
      acts={
        <>
          <Find
            label="Search the questions"
            value={text}
            onChange={(typed) => {
              setText(typed);
              put({ q: typed.trim(), page: null });
            }}
          />
          <Pick
            label="Change"
            value={change || ALL}
            options={[
              { id: ALL, label: "All that changed" },
              { id: "gained", label: `Gained${counts ? `: ${integer(counts.gained)}` : ""}` },
              { id: "lost", label: `Lost${counts ? `: ${integer(counts.lost)}` : ""}` },
              { id: "changed", label: "Answers differ" },
            ]}
            onChange={(id) => put({ change: id === ALL ? null : id, page: null })}
          />
        </>
      }
    >
      <QueryState of={rows} what="questions" retry />
      {rows.data?.count === 0 && (
        <EmptyState
          title={filtered ? "No question matches" : "Both answer every question the same way"}
          act={
            filtered && (
              <Button
                onPress={() => {
                  setText("");
                  put({ change: null, q: null, page: null });
                }}
              >
                Clear the filters
              </Button>
            )
          }
        />
      )}
      {rows.data && rows.data.count > 0 && (
        <ResourceTable
          heads={[["Change"], ["Question, and what each answered"], ["Hops", "num hide-narrow"]]}
          acts
        >
          {rows.data.results.map((row) => (
            <Row key={row.id} row={row} a={a} b={b} />
          ))}
        </ResourceTable>
      )}
      <Pages what="the questions that changed" page={page} size={SIZE} data={rows.data} onPage={setPage} />
    </Card>
  );
}
