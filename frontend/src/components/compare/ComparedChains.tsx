// The evidence of each method, in columns as wide as the panel allows.
import { ChainRow } from "@/components/run/ChainsPanel";
import { count } from "@/view/format";
import { RunMark } from "./RunMark";
import type { Compared } from "./RunsTable";

const FIRST = 5;

interface Props {
  list: readonly Compared[];
  /** Where the chains of each run begin in the drawing's numbering. */
  starts: readonly number[];
  chain: number | null;
  onChain: (chain: number | null) => void;
}

export function ComparedChains({ list, starts, chain, onChain }: Props) {
  const some = list.some((one) => one.view?.chains.length);
  if (!some) return null;
  return (
    <section className="panel" aria-labelledby="compared-chains">
      <header className="panel-head">
        <h2 id="compared-chains">Evidence</h2>
      </header>
      <div className="compared-chains">
        {list.map((one, place) => {
          const chains = one.view?.chains ?? [];
          const start = starts[place] ?? 0;
          return (
            <div key={one.run.id} className="stack tight">
              <h3 className="row">
                <RunMark place={place} /> <bdi>{one.name}</bdi>
                <span className="muted small tabular">{count(chains.length, "chain")}</span>
              </h3>
              <ol className="chains">
                {chains.slice(0, FIRST).map((found, index) => (
                  <ChainRow
                    key={index}
                    chain={found}
                    index={index}
                    on={one.shown && chain === start + index}
                    onToggle={() => {
                      // What is not drawn cannot be lit.
                      if (one.shown) onChain(chain === start + index ? null : start + index);
                    }}
                  />
                ))}
              </ol>
              {chains.length > FIRST && (
                <p className="small muted">and {count(chains.length - FIRST, "weaker one")}</p>
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}
