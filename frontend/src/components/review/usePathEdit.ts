// A path that is being edited: its draft, what it reaches, and adding it to the item.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addCandidate, itemKey, walkQuery, type Candidate, type Drawing, type Item } from "@/api/review";
import { judge, withItem, type Annotation } from "@/view/review";
import { cutAt, draftOf, newDraft, samePath, selectHop, type PathDraft } from "@/view/reviewPath";
import { toast } from "@/store/toasts";

/** A draft's drawing is no candidate's. */
export const DRAFT = -1;

interface Kept {
  item: number;
  draft: PathDraft;
  /** Of the candidate that it becomes: sent again, it is added once. */
  id: string;
}

export function usePathEdit(
  annotation: Annotation | null,
  change: (change: (annotation: Annotation) => Annotation) => void,
) {
  const client = useQueryClient();
  const [kept, setKept] = useState<Kept | null>(null);
  const item = annotation?.item;
  const draft = kept && kept.item === item?.id ? kept.draft : null;
  const walk = useQuery({
    ...walkQuery(item?.id ?? 0, draft?.topic ?? "", draft?.path ?? []),
    enabled: draft !== null && draft.topic !== "",
  });
  const add = useMutation({
    mutationFn: ({ item, draft, id }: Kept) =>
      addCandidate(item, {
        id,
        topic: draft.topic,
        path: draft.path,
        ...(draft.from !== null && { edited_from: draft.from }),
      }),
    onSuccess: ({ item: fresh }, { item, draft }) => {
      setKept(null);
      void client.invalidateQueries({ queryKey: itemKey(item) });
      change((now) => (now.item.id === item ? added(now, fresh, draft) : now));
    },
  });
  const put = (draft: PathDraft, item: Item) => {
    add.reset();
    setKept({ item: item.id, draft, id: crypto.randomUUID() });
  };
  const drawing: Drawing | null =
    draft && walk.data
      ? {
          candidate: DRAFT,
          hops: walk.data.hops,
          hit: walk.data.hit,
          extra: walk.data.extra,
          missed: walk.data.missed,
        }
      : null;
  return {
    draft,
    drawing,
    walk: draft ? walk.data : undefined,
    pending: walk.isFetching || walk.isPlaceholderData,
    error: walk.error ?? add.error,
    saving: add.isPending,
    onDraft: (next: PathDraft) => {
      if (item) put(next, item);
    },
    edit: (candidate: Candidate, at?: number) => {
      if (item) put(draftOf(candidate, at), item);
    },
    extend: (candidate: Candidate, level: number) => {
      if (item) put(cutAt(draftOf(candidate), level), item);
    },
    cut: (candidate: Candidate, step: number) => {
      if (item) put(cutAt(draftOf(candidate), step), item);
    },
    select: (at: number) => {
      if (item && draft) put(selectHop(draft, at), item);
    },
    addNew: () => {
      if (item) put(newDraft(item.topics[0] ?? ""), item);
    },
    save: () => {
      if (!kept || !draft) return;
      const same = walk.data?.same_as ?? null;
      if (same === null) add.mutate(kept);
      else {
        setKept(null);
        change((now) => ({
          ...now,
          focus: Math.max(
            0,
            now.item.candidates.findIndex((one) => one.id === same),
          ),
        }));
      }
    },
    close: () => {
      setKept(null);
    },
  };
}

export type PathEdit = ReturnType<typeof usePathEdit>;

/** The item with the new path, which who added it holds for rational until they say otherwise. */
function added(annotation: Annotation, fresh: Item, draft: PathDraft): Annotation {
  const next = withItem(annotation, fresh);
  const place = fresh.candidates.findIndex(
    (one) => one.topic === draft.topic && samePath(one.path, draft.path),
  );
  const candidate = fresh.candidates[place];
  if (!candidate) return next;
  toast("The path is added, and called rational. It is recorded when you submit.");
  return next.opinion.words.has(candidate.id) ? { ...next, focus: place } : judge(next, "rational", place);
}
