// Who changed what of the language models.
import { useQuery } from "@tanstack/react-query";
import { changesQuery, type ModelChange } from "@/api/languageModels";
import { Ago } from "@/components/kit/feedback";
import { Card } from "@/components/kit/Card";

const shown = (value: unknown) =>
  value === null || value === "" ? "none" : typeof value === "string" ? value : JSON.stringify(value);

/** "model qwen → llama; key changed" */
function said({ fields }: ModelChange): string {
  return Object.entries(fields)
    .map(([name, [before, after]]) => `${name.replaceAll("_", " ")} ${shown(before)} → ${shown(after)}`)
    .join("; ");
}

export function Changes() {
  const { data } = useQuery(changesQuery);
  if (!data?.results.length) return null;
  return (
    <Card title="Changes">
      <ul className="body padded stack tight">
        {data.results.map((change) => (
          <li key={`${change.at} ${change.name} ${change.action}`} className="small">
            <span className="muted">
              <Ago iso={change.at} />
            </span>{" "}
            {change.user ?? "somebody"}{" "}
            {change.action === "limits" ? "set the budgets" : `${change.action} ${change.name}`}
            {change.action === "changed" || change.action === "limits" ? (
              <span className="muted"> {said(change)}</span>
            ) : null}
          </li>
        ))}
      </ul>
    </Card>
  );
}
