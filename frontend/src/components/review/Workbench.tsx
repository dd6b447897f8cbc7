// Where an item is judged or decided: its list beside it, its paths, the graph; and the keys for all of it.
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { graphQuery } from "@/api/queries";
import { drawingQuery, walkQuery, type Candidate, type Item, type Queue, type Said } from "@/api/review";
import { usePageKeys } from "@/components/kit/hooks";
import type { GraphHandle } from "@/graph/handle";
import {
  REASONS,
  aboutWhich,
  judge,
  judgeRest,
  moveFocus,
  setBroken,
  setComment,
  toggleReason,
  type Annotation,
} from "@/view/review";
import { actOf, useKeymap, type ActName } from "@/store/reviewKeys";
import { placesOf } from "@/view/reviewPath";
import { pressedKey } from "@/view/keys";
import type { RowActs } from "./CandidateRow";
import { ItemCard } from "./ItemCard";
import { PathEditor } from "./PathEditor";
import { ProgramEditor } from "./ProgramEditor";
import { ReviewGraph, type HopActs } from "./ReviewGraph";
import { useRightAnswers } from "./RightAnswers";
import { DRAFT, usePathEdit, type PathEdit } from "./usePathEdit";
import { useProgramTrial } from "./useProgramTrial";

/** With more paths than this only the lit one is drawn, and only it is asked for. */
const DRAWN = 60;

/** The drawings of an item: of all its paths, or with very many of the lit one alone. */
function useDrawings(item: Item, lit: number | null) {
  const many = item.candidates.length > DRAWN && item.kind === "paths";
  const all = useQuery({ ...drawingQuery(item.id), enabled: !many });
  const candidate = item.candidates.find((one) => one.id === lit);
  const one = useQuery({
    ...walkQuery(item.id, candidate?.topic ?? "", candidate?.path ?? []),
    enabled: many && candidate !== undefined && !candidate.executed,
  });
  const single = useMemo(
    () => (many && one.data && lit !== null ? [{ candidate: lit, ...one.data }] : undefined),
    [many, one.data, lit],
  );
  const found = many ? one : all;
  return { drawings: many ? single : all.data, pending: found.isPending, error: found.error };
}

interface ViewProps {
  annotation: Annotation;
  hover: number | null;
  edit: PathEdit;
  onReady: (handle: GraphHandle | null) => void;
}

function DeskGraph({ annotation, hover, edit, onReady }: ViewProps) {
  // The question is read first; its drawing may come a moment later.
  const shown = useDeferredValue(annotation);
  const { item, focus } = shown;
  const lit = edit.drawing ? DRAFT : (hover ?? item.candidates[focus]?.id ?? null);
  const { drawings, pending, error } = useDrawings(item, lit);
  const drawn = useMemo(
    () => (edit.drawing ? [...(drawings ?? []), edit.drawing] : (drawings ?? [])),
    [drawings, edit.drawing],
  );
  const candidate = item.candidates.find((one) => one.id === lit);
  const { draft, drawing } = edit;
  const hopActs = (): HopActs | null => {
    if (draft && drawing) {
      return {
        places: placesOf(drawing.hops, draft.topic, draft.path),
        onChange: edit.select,
        onExtend: (level) => edit.onDraft({ ...draft, path: draft.path.slice(0, level), at: level }),
        onCut: (step) => edit.onDraft({ ...draft, path: draft.path.slice(0, step), at: step }),
      };
    }
    const found = drawings?.find((one) => one.candidate === candidate?.id);
    // A program is changed step by step, not in its drawing.
    if (!candidate || !found || candidate.executed) return null;
    return {
      places: placesOf(found.hops, candidate.topic, candidate.path),
      onChange: (step) => edit.edit(candidate, step),
      onExtend: (level) => edit.extend(candidate, level),
      onCut: (step) => edit.cut(candidate, step),
    };
  };
  return (
    <ReviewGraph
      item={item}
      drawings={drawn}
      lit={lit}
      shown={draft ? "lit" : "all"}
      pending={pending}
      error={error}
      hops={hopActs()}
      onReady={onReady}
    />
  );
}

interface Props {
  queue: Queue;
  annotation: Annotation;
  change: (change: (annotation: Annotation) => Annotation) => void;
  /** The items among which it stands. */
  list: ReactNode;
  search: RefObject<HTMLInputElement | null>;
  footer: ReactNode;
  /** What the page does by itself. */
  acts: Record<"submit" | "undo" | "redo", () => void>;
  /** What analysts said, where it is to be seen. */
  others?: readonly Said[];
  /** Something else has the keys. */
  paused: boolean;
}

export function Workbench({
  queue,
  annotation,
  change,
  list,
  search,
  footer,
  acts: own,
  others,
  paused,
}: Props) {
  const edit = usePathEdit(annotation, change);
  const trial = useProgramTrial(queue, annotation, change);
  const programs = annotation.item.kind === "programs";
  const beginEdit = (candidate: Candidate) => {
    if (candidate.executed) trial.begin(candidate);
    else edit.edit(candidate);
  };
  const tells = useRightAnswers(annotation, change);
  const keymap = useKeymap();
  const [hover, setHover] = useState<number | null>(null);
  const [tell, setTell] = useState<{ item: number; what: number | "question" } | null>(null);
  const graph = useRef<GraphHandle | null>(null);
  const item = annotation.item.id;
  const telling = tell?.item === item ? tell.what : null;
  const setTelling = (what: number | "question" | null) => {
    setTell(what === null ? null : { item, what });
  };
  const acts: Record<ActName, () => void> = {
    rational: () => change((now) => judge(now, "rational")),
    "not-rational": () => change((now) => judge(now, "not-rational")),
    unsure: () => change((now) => judge(now, "unsure")),
    next: () => change((now) => moveFocus(now, 1)),
    previous: () => change((now) => moveFocus(now, -1)),
    rest: () => change((now) => judgeRest(now, "not-rational")),
    reasons: () => {
      setTelling(telling === null ? why(annotation) : null);
    },
    comment: () => {
      setTelling(why(annotation));
      // After the field is there.
      setTimeout(() => {
        document.querySelector<HTMLElement>(".verdict-comment, .question-comment")?.focus();
      });
    },
    edit: () => {
      const candidate = annotation.item.candidates[annotation.focus];
      if (candidate) beginEdit(candidate);
    },
    add: programs ? trial.beginNew : edit.addNew,
    answers: tells.begin,
    broken: () => change((now) => setBroken(now, !now.opinion.broken)),
    filter: () => search.current?.focus(),
    fit: () => graph.current?.fit(),
    ...own,
  };
  usePageKeys((event) => {
    if (paused) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const reason = REASONS[Number(pressedKey(event)) - 1]?.reason;
    if (
      telling !== null &&
      plain &&
      (reason || pressedKey(event) === "Escape" || pressedKey(event) === "Enter")
    ) {
      event.preventDefault();
      if (!reason) setTelling(null);
      else change((now) => toggleReason(now, reason, telling === "question" ? null : telling));
      return;
    }
    if (pressedKey(event) === "Escape" && edit.draft) edit.close();
    if (pressedKey(event) === "Escape" && trial.open) trial.close();
    if (pressedKey(event) === "Escape") tells.close();
    const act = actOf(event, keymap);
    // A key that is held down submits once.
    if (!act || (act === "submit" && event.repeat)) return;
    // A button that the keyboard went to keeps its Enter.
    if (act === "submit" && event.target instanceof Element && event.target.closest("button, a, summary"))
      return;
    event.preventDefault();
    setHover(null);
    acts[act]();
  });
  const rows: RowActs = {
    onFocus: (place) => change((now) => (now.focus === place ? now : { ...now, focus: place })),
    onHover: setHover,
    onJudge: (kind, place) => change((now) => judge(now, kind, place)),
    onTell: setTelling,
    onReason: (reason, candidate) => change((now) => toggleReason(now, reason, candidate)),
    onComment: (comment, candidate) => change((now) => setComment(now, comment, candidate)),
    onEdit: beginEdit,
  };
  const graphOf = useQuery({ ...graphQuery(queue.graph), enabled: programs }).data;
  const { drawings } = useDrawings(annotation.item, annotation.item.candidates[annotation.focus]?.id ?? null);
  return (
    <div className="review-body">
      {list}
      <ItemCard
        annotation={annotation}
        drawings={drawings}
        acts={rows}
        telling={telling}
        change={change}
        onTell={setTelling}
        onAdd={acts.add}
        tells={tells}
        {...(others && { others })}
        editor={
          trial.open ? (
            <ProgramEditor key={`programs ${item}`} graph={graphOf} item={annotation.item} trial={trial} />
          ) : (
            edit.draft && (
              <PathEditor
                key={`editor ${item}`}
                item={annotation.item}
                draft={edit.draft}
                walk={edit.walk}
                pending={edit.pending}
                error={edit.error}
                saving={edit.saving}
                onDraft={edit.onDraft}
                onSave={edit.save}
                onClose={edit.close}
              />
            )
          )
        }
        footer={footer}
      />
      <DeskGraph
        annotation={annotation}
        hover={hover}
        edit={edit}
        onReady={(handle) => {
          graph.current = handle;
        }}
      />
    </div>
  );
}

/** What reasons are asked for now. */
function why(annotation: Annotation): number | "question" | null {
  return annotation.opinion.broken ? "question" : aboutWhich(annotation);
}
