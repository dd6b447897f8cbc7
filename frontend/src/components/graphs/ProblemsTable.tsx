import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { downloadProblems } from "@/api/datasets";
import { problemsQuery } from "@/api/queries";
import type { Id, RowProblem } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading, troubleOf } from "@/components/kit/says";
import { download } from "@/store/files";
import { integer } from "@/store/format";
import { toast } from "@/store/toasts";

export function ProblemRows({ problems }: { problems: readonly RowProblem[] }) {
  return (
    <div className="scroll-x">
      <table className="table">
        <thead>
          <tr>
            <th>File</th>
            <th className="num">Line</th>
            <th>What is wrong</th>
            <th>Text</th>
          </tr>
        </thead>
        <tbody>
          {problems.map((problem, index) => (
            <tr key={index}>
              <td className="nowrap">{problem.file}</td>
              <td className="num">{problem.line ? integer(problem.line) : "whole file"}</td>
              <td>{problem.message}</td>
              <td className="mono muted elide cell-text" title={problem.text}>
                {problem.text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The rows that could not be used, named by file and line. */
export function ProblemsTable({ graph }: { graph: Id }) {
  const [page, setPage] = useState(1);
  const { data, error } = useQuery(problemsQuery(graph, page));
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading what="the bad rows" />;
  return (
    <>
      <ProblemRows problems={data.results} />
      <p className="body">
        <Button
          size="small"
          icon="download"
          onPress={() => {
            downloadProblems(graph).then(
              (file) => {
                download(`bad-rows-${graph}.csv`, file);
              },
              (reason: unknown) => {
                toast(troubleOf(reason).message);
              },
            );
          }}
        >
          Download as CSV
        </Button>
      </p>
      {data.count > data.results.length && (
        <div className="pages">
          <Button
            size="small"
            isDisabled={!data.previous}
            onPress={() => {
              setPage(page - 1);
            }}
          >
            Back
          </Button>
          <span className="small muted tabular">
            {integer(data.count)} rows, page {page}
          </span>
          <Button
            size="small"
            isDisabled={!data.next}
            onPress={() => {
              setPage(page + 1);
            }}
          >
            Next
          </Button>
        </div>
      )}
    </>
  );
}
