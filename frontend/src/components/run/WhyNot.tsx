// "Why not X?": where an expected answer is lost, what was looked at on the way, and what would bring it, as tried.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ProgramReading } from "@/api/events";
import type { Run } from "@/api/types";
import { askWhyNot, whyNotQuery, type Remedy, type WhyNot as Found } from "@/api/whyNot";
import { EntityPicker } from "@/components/ask/EntityPicker";
import { Button, IconButton } from "@/components/kit/controls";
import { ErrorNotice, Notice, Spinner } from "@/components/kit/feedback";
import { Icon } from "@/components/kit/Icon";
import { useAct } from "@/components/kit/useAct";
import "./whyNot.css";

interface Acts {
  /** Run a program in place of the question. */
  onProgram: (program: ProgramReading["program"]) => void;
  /** Ask again with another budget. */
  onBudget: (budget: number) => void;
  /** Ask again about another entity. */
  onPin: (entity: { id: number; label: string }) => void;
  /** Tell the analysts that this answer is missing. */
  onMissing: (name: string) => void;
}

interface Props extends Acts {
  run: Run;
}

function triedWords({ trial }: Remedy): string {
  if (!trial) return "not tried";
  if (trial.works && trial.place !== null) {
    return trial.count === 1
      ? "tried: it is then the answer"
      : `tried: it is then answer ${trial.place} of ${trial.count}`;
  }
  const others = trial.answers.slice(0, 2).join(", ");
  return others
    ? `tried: still missing; ${others}${trial.count > 2 ? " and others" : ""}`
    : "tried: no answer";
}

function RemedyAct({ remedy, onProgram, onBudget, onPin }: { remedy: Remedy } & Omit<Acts, "onMissing">) {
  const { program, budget, entity } = remedy;
  if (program) {
    return (
      <Button size="small" onPress={() => onProgram(program)}>
        Ask that way
      </Button>
    );
  }
  if (budget !== null) {
    return (
      <Button size="small" onPress={() => onBudget(budget)}>
        Ask with {budget} facts
      </Button>
    );
  }
  if (entity) {
    return (
      <Button size="small" onPress={() => onPin(entity)}>
        Ask about <bdi>{entity.label}</bdi>
      </Button>
    );
  }
  return null;
}

function Result({ found, ...acts }: { found: Found } & Acts) {
  const looked = found.checks.slice(0, -1);
  return (
    <>
      <p className="why-summary">
        <bdi>{found.summary}</bdi>
      </p>
      {found.near.length > 0 && <p className="small">Names like it: {found.near.join(", ")}</p>}
      {looked.length > 0 && (
        <ul className="why-checks small" aria-label="What was looked at">
          {looked.map((check, at) => (
            <li key={at} className={check.passed ? "passed" : ""}>
              <Icon name={check.passed ? "check" : "close"} /> <bdi>{check.text}</bdi>
            </li>
          ))}
        </ul>
      )}
      {found.remedies.length > 0 && (
        <>
          <h3>What would bring it</h3>
          <ul className="why-remedies">
            {found.remedies.map((remedy) => (
              <li key={remedy.text}>
                <span>
                  <bdi>{remedy.text}</bdi>{" "}
                  <span className={`badge ${remedy.trial?.works ? "good" : ""}`}>{triedWords(remedy)}</span>
                </span>
                <RemedyAct remedy={remedy} {...acts} />
              </li>
            ))}
          </ul>
          <p className="small muted">
            Each was tried on a copy. Nothing was changed in the graph or in the method.
          </p>
        </>
      )}
      {found.stage !== "answered" && (
        <p>
          <Button
            size="small"
            icon="flag"
            onPress={() => acts.onMissing(found.entity?.label ?? found.expected)}
          >
            Tell the analysts that it is missing
          </Button>
        </p>
      )}
    </>
  );
}

function Looked({ run, asked, onClose, ...acts }: { asked: Asked; onClose: () => void } & Props) {
  const { data, error } = useQuery(whyNotQuery(run.id, asked.key));
  const waiting = !error && (data?.state ?? "waiting") === "waiting";
  return (
    <section className="panel why-not" aria-labelledby="why-not-title" aria-busy={waiting}>
      <header className="panel-head">
        <h2 id="why-not-title">
          Why not <bdi>{asked.name}</bdi>?
        </h2>
        <span className="grow" />
        <IconButton icon="close" label="Close" onPress={onClose} />
      </header>
      {error && <ErrorNotice error={error} />}
      {waiting && (
        <p className="waiting" role="status">
          <Spinner /> Finding where it is lost, and trying what would bring it…
        </p>
      )}
      {data?.error && (
        <Notice tone="bad" urgent title={data.error.message}>
          {data.error.hint}
        </Notice>
      )}
      {data?.found && <Result found={data.found} {...acts} />}
    </section>
  );
}

interface Asked {
  key: string;
  name: string;
}

export function WhyNot({ run, ...acts }: Props) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const send = useAct((expected: { name: string; entity?: number }) => askWhyNot(run.id, expected), {
    done: ({ key }, { name }) => setAsked({ key, name }),
  });
  return (
    <>
      <p className="why-ask row wrap">
        <EntityPicker
          graph={String(run.graph)}
          button="Why not …?"
          label="Why not …? Name the answer that you expected"
          onPick={({ id, label }) => send.mutate({ name: label, entity: id })}
          onName={(name) => send.mutate({ name })}
        />
        <span className="small muted">Name an answer that you expected, and see where it is lost.</span>
      </p>
      {send.error && <ErrorNotice error={send.error} />}
      {asked && <Looked key={asked.key} run={run} asked={asked} onClose={() => setAsked(null)} {...acts} />}
    </>
  );
}
