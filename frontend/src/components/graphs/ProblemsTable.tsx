import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { downloadProblems } from "@/api/datasets";
import { problemsQuery } from "@/api/queries";
import type { Id, RowProblem } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { ResourceTable } from "@/components/kit/ResourceTable";
import { saveFile } from "@/components/kit/files";
import { integer } from "@/view/format";

export function ProblemRows({ problems }: { problems: readonly RowProblem[] }) {
  return (
    <ResourceTable heads={[["File"], ["Line", "num"], ["What is wrong"], ["Text"]]}>
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
    </ResourceTable>
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
          onPress={() => void saveFile(`bad-rows-${graph}.csv`, downloadProblems(graph), "The rows")}
        >
          Download as CSV
        </Button>
      </p>
      {data.count > data.results.length && (
        <div className="pages">
          <Button size="small" isDisabled={!data.previous} onPress={() => setPage(page - 1)}>
            Back
          </Button>
          <span className="small muted tabular">
            {integer(data.count)} rows, page {page}
          </span>
          <Button size="small" isDisabled={!data.next} onPress={() => setPage(page + 1)}>
            Next
          </Button>
        </div>
      )}
    </>
  );
}
