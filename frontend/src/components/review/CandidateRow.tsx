// A candidate path as a row: what it says, what it reaches, who holds it, what is said of it, and the verdict keys.
import { useEffect, useRef } from "react";
import type { Candidate, Drawing, Kind, Reason } from "@/api/review";
import { count, integer, percent } from "@/view/format";
import { KINDS, type Word } from "@/view/review";
import { CandidateProgram, givenBy } from "./CandidateProgram";
import { Chain } from "./Chain";
import { KeyButton } from "./KeyButton";
import { Reached } from "./Reached";
import { Reasons, ReasonWords } from "./Reasons";

/** What another analyst said of the path, where they are compared. */
export interface Other {
  analyst: string;
  kind: Kind | "broken";
  reasons: readonly Reason[];
  comment: string;
}

export interface RowActs {
  onFocus: (place: number) => void;
  onHover: (candidate: number | null) => void;
  onJudge: (kind: Kind, place: number) => void;
  onTell: (candidate: number | null) => void;
  onReason: (reason: Reason, candidate: number | null) => void;
  onComment: (comment: string, candidate: number | null) => void;
  onEdit: (candidate: Candidate) => void;
}

interface Props {
  candidate: Candidate;
  place: number;
  focused: boolean;
  word: Word | undefined;
  /** Of the path in focus: some of what it reaches. */
  drawing: Drawing | undefined;
  /** What it reaches can be compared with the right answers. */
  known: boolean;
  /** Its reasons are being chosen. */
  telling: boolean;
  /** The place of the candidate that it was edited from. */
  edited: number | null;
  others?: readonly Other[] | undefined;
  acts: RowActs;
}

function Bar({ label, share }: { label: string; share: number }) {
  return (
    <span className="measure" title={`${label}: ${percent(share)}`}>
      <span className="muted">{label}</span>
      <span className="gauge" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="tabular">{percent(share)}</span>
    </span>
  );
}

/** How a verdict is called: a program is right or wrong. */
export function kindLabel(kind: Kind | "broken", program = false): string {
  const label = KINDS.find((one) => one.kind === kind)?.label ?? "Broken";
  return program ? ({ rational: "Right", "not-rational": "Wrong" }[kind as string] ?? label) : label;
}

export function KindBadge({ kind, program = false }: { kind: Kind | "broken"; program?: boolean }) {
  const tone = { rational: "good", "not-rational": "bad", unsure: "warn", broken: "bad dotted" }[kind];
  const sign = { rational: "✓", "not-rational": "✗", unsure: "?", broken: "!" }[kind];
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {kindLabel(kind, program)}
    </span>
  );
}

function Others({ others, program }: { others: readonly Other[]; program: boolean }) {
  return (
    <ul className="others" aria-label="What analysts said of it">
      {others.map((one) => (
        <li key={one.analyst}>
          <span className="strong">{one.analyst}</span> <KindBadge kind={one.kind} program={program} />{" "}
          <ReasonWords reasons={one.reasons} />
          {one.comment && <q className="small">{one.comment}</q>}
        </li>
      ))}
    </ul>
  );
}

function Sources({ candidate, focused }: { candidate: Candidate; focused: boolean }) {
  const { sources, author } = candidate;
  return (
    <>
      <p className="small muted sources">
        {author && <span className="badge accent">added by {author}</span>}
        {sources.map((one, at) => (
          <span key={at} title={[one.name, one.explanation].filter(Boolean).join(": ")}>
            {one.source} <span className="tabular">{one.score.toFixed(2)}</span>
          </span>
        ))}
      </p>
      {focused &&
        sources
          .filter((one) => one.explanation)
          .map((one, at) => (
            <p key={at} className="small explanation">
              <span className="muted">
                <bdi>{one.name}</bdi>:
              </span>{" "}
              {one.explanation}
            </p>
          ))}
    </>
  );
}

export function CandidateRow(props: Props) {
  const { candidate, place, focused, word, drawing, known, telling, edited, others, acts } = props;
  const { id, topic, steps, reached, hits, precision, recall, executed } = candidate;
  const program = executed !== null;
  const what = program ? "program" : "path";
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (focused) row.current?.scrollIntoView({ block: "nearest" });
  }, [focused, telling]);
  return (
    // eslint-disable-next-line jsx-a11y-x/click-events-have-key-events, jsx-a11y-x/no-noninteractive-element-interactions -- the page has keys for it
    <li
      ref={row}
      className={`candidate ${focused ? "on" : ""} ${word ? word.kind : ""}`}
      aria-current={focused}
      onPointerMove={() => acts.onHover(id)}
      onPointerLeave={() => acts.onHover(null)}
      onClick={() => acts.onFocus(place)}
    >
      <p className="candidate-chain">
        <span className="muted tabular">{place + 1}</span>{" "}
        <span className="grow">
          {executed ? <bdi>{executed.read.text}</bdi> : <Chain topic={topic} steps={steps} />}
          {edited !== null && (
            <span className="small muted">
              {" "}
              · changed from {what} {edited + 1}
            </span>
          )}
          {candidate.retired && <span className="badge warn">retired</span>}
        </span>
        {word && <KindBadge kind={word.kind} program={program} />}
      </p>
      {executed && <CandidateProgram executed={executed} focused={focused} />}
      <p className="small candidate-facts">
        {executed ? (
          <span>
            gives <b>{givenBy(executed)}</b>
            {known && (
              <>
                , <b className="tabular">{integer(hits)}</b> of <b className="tabular">{integer(reached)}</b>{" "}
                right
              </>
            )}
          </span>
        ) : (
          <span>
            reaches <b className="tabular">{integer(reached)}</b>
            {known && (
              <>
                , <b className="tabular">{integer(hits)}</b> of them right
              </>
            )}
          </span>
        )}
        {known ? (
          <>
            <Bar label="precision" share={precision} />
            <Bar label="recall" share={recall} />
          </>
        ) : (
          <span className="muted">the right answers are not known yet</span>
        )}
      </p>
      {focused && drawing && <Reached drawing={drawing} candidate={candidate} known={known} />}
      <Sources candidate={candidate} focused={focused} />
      {others && <Others others={others} program={program} />}
      <div className="row wrap verdicts" role="group" aria-label={`Verdict on ${what} ${place + 1}`}>
        {KINDS.map(({ kind }) => (
          <KeyButton
            key={kind}
            act={kind}
            small
            look={word?.kind === kind ? "primary" : undefined}
            pressed={word?.kind === kind}
            onPress={() => acts.onJudge(kind, place)}
          >
            {kindLabel(kind, program)}
          </KeyButton>
        ))}
        <span className="grow" />
        {focused && (
          <KeyButton act="edit" small look="plain" onPress={() => acts.onEdit(candidate)}>
            Edit
          </KeyButton>
        )}
      </div>
      {word && (
        <Reasons
          about={`${what} ${place + 1}`}
          chosen={word.reasons}
          comment={word.comment}
          open={telling}
          near={focused}
          onOpen={(open) => acts.onTell(open ? id : null)}
          onReason={(reason) => acts.onReason(reason, id)}
          onComment={(comment) => acts.onComment(comment, id)}
        />
      )}
      {focused && !program && (
        <p className="small muted">
          One verdict for the whole chain of relations: it applies to every path merged in it, to{" "}
          {reached === 1 ? "the one entity" : `all ${count(reached, "entity", "entities")}`} that it reaches.
        </p>
      )}
    </li>
  );
}
