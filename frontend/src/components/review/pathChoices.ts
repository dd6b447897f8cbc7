// What could stand at a place of a path: topics, or the relations that lead on from there.
import { useQuery } from "@tanstack/react-query";
import { topicsQuery, walkQuery, type Extension, type Item } from "@/api/review";
import { useSettled } from "@/components/kit/hooks";
import { count, integer, percent } from "@/view/format";
import { TOPIC, prefixOf, putStep, restart, type PathDraft } from "@/view/reviewPath";

export interface Choice {
  id: string;
  label: string;
  title: string;
  arrow: string;
  figures: string;
  take: (draft: PathDraft) => PathDraft;
}

function relationChoice(one: Extension): Choice {
  return {
    id: `${one.inverse ? "<" : ">"}${one.relation}`,
    label: one.label,
    title: `${one.relation}${one.inverse ? ", walked against its direction" : ""}`,
    arrow: one.inverse ? "←" : "→",
    figures: `${integer(one.reached)} · ${percent(one.precision)} · ${percent(one.recall)}`,
    take: (draft) => putStep(draft, [one.relation, one.inverse]),
  };
}

function topicChoice(label: string, end: string): Choice {
  return { id: label, label, title: label, arrow: "◉", figures: end, take: (draft) => restart(draft, label) };
}

/** What can stand at the place that is being chosen. */
export function useChoices(item: Item, draft: PathDraft, text: string) {
  const atTopic = draft.at === TOPIC;
  const prefix = useQuery({
    ...walkQuery(item.id, draft.topic, prefixOf(draft)),
    enabled: !atTopic && draft.topic !== "",
  });
  const q = useSettled(text.trim(), 120);
  const topics = useQuery({ ...topicsQuery(item.id, q), enabled: atTopic && q !== "" });
  const words = text.trim().toLowerCase();
  if (atTopic) {
    const own = item.topics.filter((one) => one.toLowerCase().includes(words));
    const found = (q ? (topics.data ?? []) : []).filter((one) => !own.includes(one.label));
    return {
      choices: [
        ...own.map((one) => topicChoice(one, "topic of the question")),
        ...found.map((one) => topicChoice(one.label, count(one.degree ?? 0, "fact"))),
      ],
      pending: topics.isFetching,
      error: topics.error,
      rest: 0,
    };
  }
  // What led on from another place is no choice here.
  const all = prefix.isPlaceholderData ? [] : (prefix.data?.next ?? []);
  return {
    choices: all
      .filter((one) => one.label.toLowerCase().includes(words) || one.relation.toLowerCase().includes(words))
      .map(relationChoice),
    pending: prefix.isFetching,
    error: prefix.error,
    rest: prefix.data ? (prefix.data.next_total === null ? null : prefix.data.next_total - all.length) : 0,
  };
}
