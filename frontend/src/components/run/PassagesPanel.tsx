// The passages that were found, best first, with the sentences that answers cite.
import { useEffect, useRef, useState } from "react";
import type { Citation, RetrievedPassage } from "@/api/events";
import { Icon } from "@/components/kit/Icon";
import { Button } from "@/components/kit/controls";
import { CopyMenu } from "@/components/kit/CopyMenu";
import { piecesOf, type Piece } from "@/view/citations";
import { count, elide, score } from "@/view/format";
import type { RunView } from "@/view/runView";
import { nameOf } from "@/view/entityNames";

const FIRST = 5;
const EXCERPT = 170;

interface RowProps {
  ranked: RetrievedPassage;
  rank: number;
  view: RunView;
  /** The sentence to show, when it is one of this passage; a new object shows it anew. */
  cite: Citation | null;
}

/** What is read while the passage is folded: the cited sentences, or how it begins. */
function excerpt(pieces: readonly Piece[]): readonly Piece[] {
  const cited = pieces.filter((piece) => piece.answers.length > 0);
  if (cited.length) return cited;
  return pieces.slice(0, 1).map((piece) => ({ ...piece, text: elide(piece.text, EXCERPT) }));
}

function PassageText({
  pieces,
  view,
  cite,
  whole,
}: { pieces: readonly Piece[]; whole: boolean } & Omit<RowProps, "ranked" | "rank">) {
  const target = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!cite) return;
    target.current?.scrollIntoView({ block: "center" });
    target.current?.focus({ preventScroll: true });
  }, [cite]);
  return (
    <p className={`passage-text ${whole ? "whole" : ""}`}>
      {pieces.map(({ text, start, answers }) => {
        if (!answers.length) return <span key={start}>{text}</span>;
        const on = cite !== null && start >= cite.start && start < cite.end;
        const names = answers
          .flatMap((place) => view.answers[place] ?? [])
          .map(nameOf)
          .join(", ");
        return (
          <mark
            key={start}
            {...(on && start === cite.start && { ref: target })}
            className={on ? "on" : ""}
            tabIndex={-1}
            title={`Cited for ${names}`}
          >
            {text}
            <span className="sr-only"> (cited for {names})</span>
          </mark>
        );
      })}
    </p>
  );
}

function PassageRow({ ranked, rank, view, cite }: RowProps) {
  const { passage, facts } = ranked;
  const [open, setOpen] = useState(cite !== null);
  const [shown, setShown] = useState(cite);
  if (shown !== cite) {
    setShown(cite);
    if (cite) setOpen(true);
  }
  const pieces = piecesOf(passage.text, passage.id, view.answers);
  const cited = pieces.some((piece) => piece.answers.length > 0);
  return (
    <li className={`passage ${cite ? "on" : ""}`}>
      <button type="button" className="passage-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? "down" : "right"} />
        <span className="tabular muted">{rank}</span>
        <span className="passage-title">{passage.title || passage.name}</span>
        {cited && <span className="badge accent">cited</span>}
        <span className="small muted tabular" title="Relevance, as the retriever scored it">
          {score(ranked.score)}
        </span>
      </button>
      <div className="passage-body">
        <PassageText
          pieces={open ? pieces : excerpt(pieces)}
          view={view}
          cite={open ? cite : null}
          whole={open}
        />
        <p className="passage-meta small muted">
          {passage.document && passage.document !== passage.title && <span>{passage.document}</span>}
          {facts > 0 && <span>{count(facts, "retrieved fact")} from here</span>}
          {open && /^https?:/.test(passage.url) && (
            <a href={passage.url} target="_blank" rel="noreferrer">
              source
            </a>
          )}
        </p>
      </div>
    </li>
  );
}

interface Props {
  view: RunView;
  cite: Citation | null;
  /** Shown by a link, beside other questions. */
  isShared?: boolean;
}

export function PassagesPanel({ view, cite, isShared }: Props) {
  const [all, setAll] = useState(false);
  const { passages } = view;
  if (!passages.length) return null;
  const question = view.started?.question ?? "passages";
  const used = new Set(view.answers.flatMap((answer) => answer.citations.map((one) => one.passage)));
  const shown = passages
    .map((ranked, index) => ({ ranked, rank: index + 1 }))
    .filter(({ ranked, rank }) => all || rank <= FIRST || used.has(ranked.passage.id));
  return (
    <section className="panel" aria-label={isShared ? `Passages: ${question}` : "Passages"}>
      <header className="panel-head">
        <h2>Passages</h2>
        <span className="muted small tabular">{passages.length}</span>
        <span className="grow" />
        <CopyMenu
          what="passages"
          of={question}
          copies="Copy as text"
          copied="Passages"
          text={() => passages.map(({ passage }) => `${passage.title}\n${passage.text}`).join("\n\n")}
          load={() => ({ question, passages })}
        />
      </header>
      <ol className="passages">
        {shown.map(({ ranked, rank }) => (
          <PassageRow
            key={ranked.passage.id}
            ranked={ranked}
            rank={rank}
            view={view}
            cite={cite?.passage === ranked.passage.id ? cite : null}
          />
        ))}
      </ol>
      {passages.length > FIRST && shown.length < passages.length && (
        <Button look="plain" size="small" onPress={() => setAll(true)}>
          Show all {passages.length}
        </Button>
      )}
    </section>
  );
}
