// A program that is tried for a question: changed step by step or read from other words, run, and added as a candidate.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "@/api/queries";
import { addProgram, itemKey, type Candidate, type Item, type Queue } from "@/api/review";
import { useRunLog } from "@/live/hooks";
import type { ProgramNode } from "@/view/program";
import { judge, withItem, type Annotation } from "@/view/review";
import { isOver } from "@/view/runView";
import { toast } from "@/store/toasts";

/** What programs are read and run by. */
const METHOD = "rel-rag-path";

interface Trial {
  item: number;
  /** The candidate that is changed; null for a program that is missing. */
  from: Candidate | null;
  run: string | null;
  /** Of the candidate that it becomes: sent again, it is added once. */
  id: string;
}

const NO_NEWS = { state: undefined, at: 0 };

export function useProgramTrial(
  queue: Queue,
  annotation: Annotation,
  change: (change: (annotation: Annotation) => Annotation) => void,
) {
  const client = useQueryClient();
  const { item } = annotation;
  const [kept, setKept] = useState<Trial | null>(null);
  const trial = kept?.item === item.id ? kept : null;
  const { log } = useRunLog(trial?.run ?? undefined, NO_NEWS);
  const view = trial?.run ? log?.view : undefined;
  const trying = useMutation({
    mutationFn: ({ question, program }: { question: string; program: ProgramNode | null }) =>
      ask({ graph: queue.graph, question, program, method: METHOD, trial: true }),
    onSuccess: (run) => {
      setKept((now) => now && { ...now, run: run.id, id: crypto.randomUUID() });
    },
  });
  const adding = useMutation({
    mutationFn: ({ item, id, run, from }: Trial & { run: string }) =>
      addProgram(item, { id, run, edited_from: from?.id ?? null }),
    onSuccess: ({ item: fresh }) => {
      setKept(null);
      void client.invalidateQueries({ queryKey: itemKey(fresh.id) });
      change((now) => (now.item.id === fresh.id ? added(now, fresh) : now));
    },
  });
  const put = (from: Candidate | null) => {
    trying.reset();
    adding.reset();
    setKept({ item: item.id, from, run: null, id: crypto.randomUUID() });
  };
  return {
    open: trial !== null,
    from: trial?.from ?? null,
    view,
    going: trying.isPending || (view !== undefined && !isOver(view.phase)) || (!!trial?.run && !view),
    error: trying.error ?? adding.error,
    saving: adding.isPending,
    begin: (candidate: Candidate) => put(candidate),
    beginNew: () => put(null),
    run: (program: ProgramNode) => trying.mutate({ question: item.question, program }),
    read: (question: string) => trying.mutate({ question, program: null }),
    save: () => {
      if (trial?.run) adding.mutate({ ...trial, run: trial.run });
    },
    close: () => setKept(null),
  };
}

export type ProgramTrial = ReturnType<typeof useProgramTrial>;

/** The item with the new program, which who added it holds for right until they say otherwise. */
function added(annotation: Annotation, fresh: Item): Annotation {
  const known = new Set(annotation.item.candidates.map((one) => one.id));
  const next = withItem(annotation, fresh);
  const place = fresh.candidates.findIndex((one) => !known.has(one.id));
  if (place < 0) {
    toast("That program is among the candidates already.");
    return next;
  }
  toast("The program is added, and called right. It is recorded when you submit.");
  return judge(next, "rational", place);
}
