// Evidence chains in words. A click lights one up in the graph; each hop says whether the graph holds it.
import { Fragment, useState } from "react";
import type { EvidenceChain, Node, RelationStep } from "@/api/events";
import type { FactSource } from "@/api/provenance";
import { exportRun } from "@/api/queries";
import type { Id } from "@/api/types";
import { FactSourceText, useFactSources, type GraphVersion } from "@/components/graph/FactSources";
import { Icon } from "@/components/kit/Icon";
import { Button } from "@/components/kit/controls";
import { CopyMenu } from "@/components/kit/CopyMenu";
import { GUESS, count, integer, score, valueText } from "@/view/format";
import type { RunView } from "@/view/runView";
import { nameOf } from "@/view/entityNames";

const NAMES = 3;

/** A chain as one line of text. */
export function chainText(chain: EvidenceChain): string {
  const parts = chain.steps.map((step, level) => {
    const names = (chain.levels[level] ?? []).map(nameOf).join("; ");
    return `${step.inverse ? "←" : "→"} [${step.label}] ${names}`;
  });
  return [nameOf(chain.source), ...parts].join(" ");
}

function Relation({ step }: { step: RelationStep }) {
  const arrow = step.inverse ? "←" : "→";
  return (
    <span className="rel" title={`${step.name}${step.inverse ? ", walked against its direction" : ""}`}>
      <span aria-hidden="true">{arrow} </span>
      {step.label}
      {step.inverse && <span className="sr-only"> (inverse)</span>}
    </span>
  );
}

function Level({ nodes, total }: { nodes: readonly Node[]; total: number }) {
  const rest = total - Math.min(NAMES, nodes.length);
  return (
    <span className="lvl" title={nodes.map(nameOf).join("; ")}>
      {nodes.slice(0, NAMES).map((node, at) => (
        <Fragment key={node.id}>
          {at > 0 && "; "}
          <bdi>{valueText(nameOf(node))}</bdi>
        </Fragment>
      ))}
      {rest > 0 && <span className="muted"> +{integer(rest)}</span>}
    </span>
  );
}

interface HopsProps {
  chain: EvidenceChain;
  sources?: ReadonlyMap<string, FactSource>;
}

function factKey({ step, source, target }: EvidenceChain["hops"][number]): string {
  const [head, tail] = step.inverse ? [target, source] : [source, target];
  return `${head.id}|${step.name}|${tail.id}`;
}

function LocatedHops({ chain, version }: HopsProps & { version: GraphVersion }) {
  const verified = chain.hops.filter((hop) => hop.verified).map(factKey);
  return <Hops chain={chain} sources={useFactSources(version, [...new Set(verified)])} />;
}

function Hops({ chain, sources }: HopsProps) {
  return (
    // It may be longer than its box, and a keyboard must get to its end.
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- it scrolls
    <ul className="hops" tabIndex={0}>
      {chain.hops.map((hop) => {
        const [head, tail] = hop.step.inverse ? [hop.target, hop.source] : [hop.source, hop.target];
        const source = sources?.get(factKey(hop));
        return (
          <li key={factKey(hop)}>
            <span className="grow">
              <bdi>{head.label}</bdi> <span className="rel">→ {hop.step.label}</span>{" "}
              <bdi>{valueText(nameOf(tail))}</bdi>
              {source && (
                <>
                  {" "}
                  <FactSourceText source={source} />
                </>
              )}
            </span>
            {hop.verified ? (
              <span className="badge">
                <Icon name="check" /> in graph
              </span>
            ) : (
              <span className="badge bad dotted">not in graph</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface RowProps {
  chain: EvidenceChain;
  index: number;
  on: boolean;
  onToggle: () => void;
  /** Where the facts can be looked up; without it nothing says where they come from. */
  version?: GraphVersion | undefined;
  /** Say that it is not the reason. */
  onDoubt?: (() => void) | undefined;
}

export function ChainRow({ chain, index, on, onToggle, version, onDoubt }: RowProps) {
  const unverified = chain.hops.filter((hop) => !hop.verified).length;
  const listed = chain.levels.reduce((sum, level) => sum + level.length, 0);
  const reached = chain.level_counts.reduce((sum, size) => sum + size, 0);
  return (
    <li className={`chain ${on ? "on" : ""}`}>
      <button type="button" className="chain-line" aria-pressed={on} onClick={onToggle}>
        <span className="chain-path">
          <span className="sr-only">Chain {index + 1}:</span>{" "}
          <strong>
            <bdi>{nameOf(chain.source)}</bdi>
          </strong>
          {chain.steps.map((step, level) => (
            <Fragment key={level}>
              {" "}
              <Relation step={step} />{" "}
              <Level nodes={chain.levels[level] ?? []} total={chain.level_counts[level] ?? 0} />
            </Fragment>
          ))}
        </span>
        <span className="chain-meta small muted tabular">
          <span>{score(chain.score)}</span>
          <span>
            {count(chain.steps.length, "step")}, {count(chain.hops.length, "fact")}
          </span>
          {unverified === 0 ? (
            <span>✓ all facts in graph</span>
          ) : (
            <span className="bad-text">{count(unverified, "fact")} not in graph</span>
          )}
          {reached > listed && (
            <span>
              shown {integer(listed)} of {integer(reached)}
            </span>
          )}
          {chain.merged_with.length > 0 && (
            <span>and with chain {chain.merged_with.map((other) => other + 1).join(", ")}</span>
          )}
          {chain.score < GUESS && <span className="badge warn">guess</span>}
        </span>
      </button>
      {on && (version ? <LocatedHops chain={chain} version={version} /> : <Hops chain={chain} />)}
      {on && onDoubt && (
        <p className="doubt">
          <Button size="small" look="plain" icon="flag" onPress={onDoubt}>
            Not the reason
          </Button>
        </p>
      )}
    </li>
  );
}

interface Props {
  /** Whose facts they are; null until it is known. */
  graph: Id | null;
  view: RunView;
  chain: number | null;
  onChain: (chain: number | null) => void;
  onDoubt?: ((chain: number) => void) | undefined;
  /** Shown by a link, beside other questions. */
  isShared?: boolean;
}

const FIRST = 8;

export function ChainsPanel({ graph, view, chain, onChain, onDoubt, isShared }: Props) {
  const [all, setAll] = useState(false);
  const { chains } = view;
  if (!chains.length) return null;
  const { started } = view;
  const version =
    started && graph !== null && started.endpoint === null
      ? { graph, snapshot: started.snapshot }
      : undefined;
  const question = started?.question ?? "evidence";
  const shown = all || (chain !== null && chain >= FIRST) ? chains : chains.slice(0, FIRST);
  return (
    <section className="panel" aria-label={isShared ? `Evidence: ${question}` : "Evidence"}>
      <header className="panel-head">
        <h2>Evidence</h2>
        <span className="muted small tabular">{count(chains.length, "chain")}</span>
        <span className="grow" />
        {chain !== null && (
          <Button look="plain" size="small" onPress={() => onChain(null)}>
            Show all
          </Button>
        )}
        <CopyMenu
          what="evidence"
          of={question}
          copies="Copy as text"
          copied="Chains"
          text={() => chains.map(chainText).join("\n")}
          load={async () => ({
            ...{ question, chains },
            ...(!isShared && { sources: (await exportRun(view.run)).sources }),
          })}
        />
      </header>
      <ol className="chains">
        {shown.map((one, index) => (
          <ChainRow
            key={index}
            chain={one}
            index={index}
            on={index === chain}
            version={version}
            onToggle={() => onChain(index === chain ? null : index)}
            onDoubt={
              onDoubt &&
              (() => {
                onDoubt(index);
              })
            }
          />
        ))}
      </ol>
      {shown.length < chains.length && (
        <Button look="plain" size="small" onPress={() => setAll(true)}>
          Show all {chains.length}
        </Button>
      )}
    </section>
  );
}
