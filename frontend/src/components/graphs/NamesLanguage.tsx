// In which language the names of entities are shown, to be chosen once for all graphs.
import { useQueryClient } from "@tanstack/react-query";
import type { Graph } from "@/api/types";
import { PickField } from "@/components/kit/controls";
import { useRunStore } from "@/store/runStore";
import { chooseNames, useSettings } from "@/store/settings";
import { languageText } from "@/view/entityNames";
import { count } from "@/view/format";

const BROWSER = "browser";

interface Props {
  /** Those that can be chosen, with how many entities have a name in each. */
  languages: Graph["languages"];
}

export function NamesLanguage({ languages }: Props) {
  const { names } = useSettings();
  const client = useQueryClient();
  const known = languages.some(({ tag }) => tag === names) || !names;
  const options = [
    {
      id: BROWSER,
      label: "Browser's language",
      detail: `${languageText(navigator.language)}, else as the graph has them`,
    },
    ...languages.map(({ tag, count: entities }) => ({
      id: tag,
      label: languageText(tag),
      detail: count(entities, "entity", "entities"),
    })),
    ...(known ? [] : [{ id: names, label: languageText(names), detail: "No names in this graph" }]),
  ];
  const choose = (id: string) => {
    chooseNames(id === BROWSER ? "" : id);
    useRunStore.getState().forget();
    void client.invalidateQueries();
  };
  return <PickField label="Names shown in" options={options} value={names || BROWSER} onChange={choose} />;
}

/** The languages of a graph's names, and a choice among them; nothing where none has a language. */
export function GraphLanguages({ graph }: { graph: Graph }) {
  if (!graph.languages.length) return null;
  return (
    <div className="row wrap graph-languages">
      <p className="small">
        Names in {graph.languages.map(({ tag }) => languageText(tag)).join(", ")}. A question may use any of
        them.
      </p>
      <NamesLanguage languages={graph.languages} />
    </div>
  );
}
