// What a language model said of a report's answers.
import type { Judged } from "@/api/reportTypes";
import { Card } from "@/components/kit/Card";
import { count, integer } from "@/view/format";
import { judgedRows } from "@/view/judgements";

export function JudgedCard({ judged }: { judged: Judged }) {
  const { model, usage } = judged;
  return (
    <Card
      title="Judged by a language model"
      beside={
        <span className="muted small">
          <bdi>{model}</bdi>, {count(usage.llm_calls, "call")}, {integer(usage.tokens)} tokens
          {usage.kept > 0 && `, ${integer(usage.kept)} replies kept from before`}
        </span>
      }
    >
      <div className="scroll-x">
        <table className="table dense">
          <thead>
            <tr>
              <th>Figure</th>
              <th className="num">Value</th>
              <th>Of what</th>
            </tr>
          </thead>
          <tbody>
            {judgedRows(judged).map(({ name, title, value, note }) => (
              <tr key={name}>
                <td title={title}>{name}</td>
                <td className="num strong">{value}</td>
                <td className="muted">{note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
