// What the answers of a question are, who says so, and telling what is right.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { itemKey, saveRightAnswers, topicsQuery, type Item } from "@/api/review";
import { EntitiesField } from "@/components/ask/EntitiesField";
import { Button } from "@/components/kit/controls";
import { Ago, ErrorNotice } from "@/components/kit/feedback";
import { count } from "@/view/format";
import { withItem, type Annotation } from "@/view/review";
import { toast } from "@/store/toasts";
import { KeyButton } from "./KeyButton";
import { Names } from "./Names";

interface Telling {
  names: readonly string[];
  /** Of this saying: sent again, it is the same one. */
  id: string;
}

/** The answers that are being told of the item on the annotation. */
export function useRightAnswers(
  annotation: Annotation,
  change: (change: (annotation: Annotation) => Annotation) => void,
) {
  const client = useQueryClient();
  const { item } = annotation;
  const [kept, setKept] = useState<(Telling & { item: number }) | null>(null);
  const draft = kept?.item === item.id ? kept : null;
  const send = useMutation({
    mutationFn: ({ id, names }: Telling) =>
      saveRightAnswers(item.id, { id, answers: names, replaces: item.answered?.id ?? null }),
    onSuccess: ({ item: fresh }) => {
      const more = fresh.candidates.length - item.candidates.length;
      setKept(null);
      void client.invalidateQueries({ queryKey: itemKey(fresh.id) });
      change((now) => (now.item.id === fresh.id ? withItem(now, fresh) : now));
      toast(
        more > 0
          ? `The right answers are set, and ${count(more, "path")} to them ${more === 1 ? "was" : "were"} found.`
          : "The right answers are set. The paths are measured by them.",
      );
    },
  });
  const put = (names: readonly string[]) => {
    send.reset();
    setKept({ item: item.id, names, id: crypto.randomUUID() });
  };
  return {
    draft: draft?.names ?? null,
    saving: send.isPending,
    error: send.error,
    begin: () => {
      // What a doubted run gave is no claim of anybody: one begins anew.
      put(item.assumed && !item.answered ? [] : item.answers);
    },
    put,
    save: () => {
      if (draft) send.mutate(draft);
    },
    use: (names: readonly string[]) => {
      const telling = { names, id: crypto.randomUUID() };
      setKept({ ...telling, item: item.id });
      send.mutate(telling);
    },
    close: () => {
      setKept(null);
    },
  };
}

export type RightAnswersForm = ReturnType<typeof useRightAnswers>;

function Form({ item, tells, names }: { item: Item; tells: RightAnswersForm; names: readonly string[] }) {
  return (
    <form
      className="stack telling card"
      aria-label="The right answers"
      onSubmit={(event) => {
        event.preventDefault();
        tells.save();
      }}
    >
      <div className="body stack">
        <EntitiesField
          label="All right answers"
          hint="Paths are measured by them, and those that lead to them are found."
          search={(text) => topicsQuery(item.id, text)}
          value={names}
          onChange={tells.put}
          autoFocus
          onKey={(key) => {
            if (key === "Escape") tells.close();
          }}
        />
        {tells.error && <ErrorNotice error={tells.error} />}
        <div className="row wrap">
          <Button type="submit" look="primary" isDisabled={tells.saving}>
            {names.length ? "Set the right answers" : "Set as unknown"}
          </Button>
          <Button onPress={tells.close}>Leave them</Button>
        </div>
      </div>
    </form>
  );
}

function Suggested({ item, tells }: { item: Item; tells: RightAnswersForm }) {
  return item.suggested.map((one) => (
    <p key={one.id} className="row wrap small">
      <span>
        {one.analyst} says that <bdi>{one.answers.join("; ") || "nobody knows"}</bdi>{" "}
        {one.answers.length > 1 ? "are" : "is"} right{" "}
        <span className="muted">
          <Ago iso={one.at} />
        </span>
      </span>
      <Button size="small" isDisabled={tells.saving} onPress={() => tells.use(one.answers)}>
        Use {one.answers.length > 1 ? "these" : "this"}
      </Button>
    </p>
  ));
}

export function RightAnswers({ item, tells }: { item: Item; tells: RightAnswersForm }) {
  const { answered, assumed, answers } = item;
  if (tells.draft) return <Form item={item} tells={tells} names={tells.draft} />;
  const unsure = assumed && !answered;
  const tell = (label: string) => (
    <KeyButton act="answers" small look={unsure ? undefined : "plain"} onPress={tells.begin}>
      {label}
    </KeyButton>
  );
  return (
    <>
      {answers.length === 0 ? (
        <div className="untold">
          <p className="grow">
            <b>The right answer is not known yet.</b>{" "}
            <span className="muted">Give it, and the paths that lead to it are found for you to judge.</span>
          </p>
          {tell("Give the right answer")}
        </div>
      ) : (
        <div className="row wrap told">
          <Names label={unsure ? "Answers given, not checked" : "Right answers"} names={answers} />
          {answered && (
            <span className="small muted">
              told by {answered.analyst} <Ago iso={answered.at} />
            </span>
          )}
          {tell(unsure ? "Give the right answers" : "Change")}
        </div>
      )}
      <Suggested item={item} tells={tells} />
    </>
  );
}
