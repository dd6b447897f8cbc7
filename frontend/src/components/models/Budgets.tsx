// What a run and a person may spend on language models, and what was spent today.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  changeLimits,
  limitsQuery,
  modelKeys,
  usageQuery,
  type LimitName,
  type Limits,
} from "@/api/languageModels";
import type { LLMUsage } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { ErrorNotice, Loading } from "@/components/kit/feedback";
import { TextField } from "@/components/kit/TextField";
import { useAct } from "@/components/kit/useAct";
import { Card } from "@/components/kit/Card";
import { cost, integer } from "@/view/format";
import { toast } from "@/store/toasts";

const FIELDS: { name: LimitName; label: string; whole: boolean }[] = [
  { name: "run_tokens", label: "Tokens per run", whole: true },
  { name: "run_cost", label: "Cost per run", whole: false },
  { name: "user_day_tokens", label: "Tokens per person a day", whole: true },
  { name: "user_day_cost", label: "Cost per person a day", whole: false },
];

type Typed = Record<LimitName, string>;

const typedOf = (limits: Limits): Typed => ({
  run_tokens: limits.run_tokens?.toString() ?? "",
  run_cost: limits.run_cost?.toString() ?? "",
  user_day_tokens: limits.user_day_tokens?.toString() ?? "",
  user_day_cost: limits.user_day_cost?.toString() ?? "",
});

function wrongWith(text: string, whole: boolean): string | null {
  if (!text.trim()) return null;
  if (whole) return /^\d+$/.test(text.trim()) ? null : "A whole number, 0 or more, or empty.";
  return Number(text) >= 0 ? null : "A number, 0 or more, or empty.";
}

function LimitsForm({ limits }: { limits: Limits }) {
  const [typed, setTyped] = useState(() => typedOf(limits));
  const wrong = FIELDS.some(({ name, whole }) => wrongWith(typed[name], whole) !== null);
  const save = useAct(
    () =>
      changeLimits(
        Object.fromEntries(FIELDS.map(({ name }) => [name, typed[name].trim() ? Number(typed[name]) : null])),
      ),
    { changes: [modelKeys], done: () => toast("The budgets are saved.") },
  );
  return (
    <form
      className="body padded stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className="settings-grid">
        {FIELDS.map(({ name, label, whole }) => (
          <TextField
            key={name}
            label={label}
            id={`limit-${name}`}
            numeric
            inputMode="decimal"
            autoComplete="off"
            placeholder="no limit"
            value={typed[name]}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
            error={wrongWith(typed[name], whole)}
          />
        ))}
      </div>
      <p className="small muted">
        A run that reaches a budget goes on without the language model and says so; a job stops, and what was
        paid for is kept. Days begin at midnight UTC.
      </p>
      {save.error && <ErrorNotice error={save.error} />}
      <div className="row">
        <Button type="submit" isDisabled={wrong || save.isPending}>
          Save the budgets
        </Button>
      </div>
    </form>
  );
}

function UsageCells({ usage }: { usage: LLMUsage }) {
  return (
    <>
      <td className="num">{integer(usage.llm_calls)}</td>
      <td className="num hide-narrow">{integer(usage.prompt_tokens)}</td>
      <td className="num hide-narrow">{integer(usage.completion_tokens)}</td>
      <td className="num">{usage.cost === null ? "–" : cost(usage.cost)}</td>
    </>
  );
}

export function Budgets() {
  const limits = useQuery(limitsQuery);
  const usage = useQuery(usageQuery);
  const error = limits.error ?? usage.error;
  const users = usage.data?.users ?? [];
  return (
    <>
      <Card title="Budgets">
        {error && <ErrorNotice error={error} />}
        {limits.data ? (
          <LimitsForm key={JSON.stringify(limits.data)} limits={limits.data} />
        ) : (
          !error && <Loading what="budgets" />
        )}
      </Card>
      <Card title="Used today" className="scroll-x">
        {users.length === 0 ? (
          <p className="body padded muted">Nobody has asked a language model today.</p>
        ) : (
          <table className="table">
            <thead>
              <tr>
                <th>Person</th>
                <th className="num">Calls</th>
                <th className="num hide-narrow">Tokens read</th>
                <th className="num hide-narrow">Tokens written</th>
                <th className="num">Cost</th>
              </tr>
            </thead>
            <tbody>
              {users.map(({ user, usage: used }) => (
                <tr key={user}>
                  <td>{user}</td>
                  <UsageCells usage={used} />
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Card>
    </>
  );
}
