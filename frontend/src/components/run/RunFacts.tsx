// What a run was asked with, and what it used: everything needed to repeat it.
import { Ago } from "@/components/kit/feedback";
import { cost, count, integer } from "@/view/format";
import type { RunView } from "@/view/runView";
import { settingsText } from "@/view/settingsForm";

interface Props {
  view: RunView;
  isTrained: boolean;
  /** The name of the language model that could be asked; "" when none. */
  llm: string;
  /** The settings of the method that differ from its defaults. */
  options?: Readonly<Record<string, unknown>>;
}

export function RunFacts({ view, isTrained, llm, options = {} }: Props) {
  const { started, usage } = view;
  const settings = settingsText(options);
  const pulled = view.subgraph?.pulled;
  if (!started) return null;
  const prompts = Object.entries(started.prompts);
  const none = isTrained ? "none (untrained)" : "none needed";
  return (
    <dl className="facts small">
      {started.endpoint === null ? (
        <>
          <dt>snapshot</dt>
          <dd className="mono elide" title={started.snapshot}>
            {started.snapshot.slice(0, 12)}
          </dd>
        </>
      ) : (
        <>
          <dt>endpoint</dt>
          <dd className="mono elide" title={started.endpoint}>
            {started.endpoint}
          </dd>
          <dt>facts</dt>
          <dd title="An endpoint has no versions: the same hash means the same facts">
            {pulled ? (
              <>
                pulled <Ago iso={pulled.at} /> by {count(pulled.queries, "query", "queries")}
                {pulled.truncated && ", cut at the limits"};{" "}
                <span className="mono" title={pulled.hash}>
                  {pulled.hash.slice(0, 12)}
                </span>
              </>
            ) : (
              "none pulled"
            )}
          </dd>
        </>
      )}
      <dt>checkpoint</dt>
      <dd className="mono elide" title={started.checkpoint ?? undefined}>
        {started.checkpoint ? started.checkpoint.slice(0, 12) : none}
      </dd>
      <dt>encoder</dt>
      <dd className="elide">{started.encoder}</dd>
      <dt>budget, seed</dt>
      <dd className="tabular">
        {started.budget}, {started.seed}
      </dd>
      {settings && (
        <>
          <dt>settings</dt>
          <dd title="Where they differ from the method's defaults">{settings}</dd>
        </>
      )}
      {usage && (
        <>
          <dt>used</dt>
          <dd className="tabular">
            {count(usage.triples, "triple")}
            {usage.llm_calls > 0 && `, ${count(usage.llm_calls, "LLM call")}`}
          </dd>
        </>
      )}
      {(llm || started.llm) && (
        <>
          <dt>language model</dt>
          <dd>
            {llm} <span className="mono muted">{started.llm}</span>
          </dd>
        </>
      )}
      {prompts.length > 0 && (
        <>
          <dt>prompts</dt>
          <dd className="mono">
            {prompts.map(([name, version]) => (
              <div key={name}>
                {name} <span className="muted">{version}</span>
              </div>
            ))}
          </dd>
        </>
      )}
      {usage && usage.llm_calls > 0 && (
        <>
          <dt>tokens</dt>
          <dd className="tabular">
            {count(usage.prompt_tokens, "token")} read, {count(usage.completion_tokens, "token")} written
            {usage.reasoning_tokens > 0 && `, ${integer(usage.reasoning_tokens)} of them reasoning`}
          </dd>
          <dt>cost</dt>
          <dd className="tabular" title="By the prices set for the language model">
            {usage.cost === null ? "unknown: no price is set" : cost(usage.cost)}
          </dd>
        </>
      )}
    </dl>
  );
}
