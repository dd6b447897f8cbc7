// A relation of a program: another one of the graph's, or the same one walked the other way.
import { useQuery } from "@tanstack/react-query";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { statisticsQuery } from "@/api/datasets";
import type { Graph } from "@/api/types";
import { Button } from "@/components/kit/controls";
import { count, integer } from "@/view/format";
import type { Relation } from "@/view/program";

/** The relations of a graph, the most used first, with their labels. */
export function useRelations(graph: Graph | undefined, wanted: boolean) {
  const { data } = useQuery({
    ...statisticsQuery(graph?.id ?? "", graph?.snapshot?.hash ?? ""),
    enabled: wanted && graph?.snapshot !== undefined && graph.snapshot !== null,
  });
  return data?.top_relations ?? [];
}

export type Relations = ReturnType<typeof useRelations>;

export function relationLabel(relations: Relations, name: string): string {
  return relations.find((one) => one.name === name)?.label ?? name.replaceAll("_", " ");
}

interface Props {
  label: string;
  value: Relation;
  relations: Relations;
  onChange: (value: Relation) => void;
}

export function RelationField({ label, value, relations, onChange }: Props) {
  const listed = relations.some((one) => one.name === value.name)
    ? relations
    : [{ name: value.name, label: relationLabel(relations, value.name), count: null }, ...relations];
  return (
    <div className="relation-field">
      <ComboBox
        className="field"
        menuTrigger="focus"
        defaultItems={listed}
        // A new list is a new field: what it shows is the name in it.
        key={`${value.name} ${listed.length}`}
        defaultValue={value.name}
        onChange={(key) => {
          if (key !== null && key !== value.name) onChange({ ...value, name: String(key) });
        }}
      >
        <Label className="label">{label}</Label>
        <Input className="input" />
        <Popover className="popover fit">
          <ListBox
            className="listbox"
            renderEmptyState={() => <p className="list-empty">No such relation.</p>}
          >
            {(one: (typeof listed)[number]) => (
              <ListBoxItem id={one.name} textValue={one.label} className="item">
                <span className="two">
                  <span>
                    <bdi>{one.label}</bdi>
                  </span>
                  {one.label !== one.name && <small slot="description">{one.name}</small>}
                </span>
                {one.count !== null && (
                  <span className="end tabular" slot="description" title={count(one.count, "fact")}>
                    {integer(one.count)}
                  </span>
                )}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      <Button
        size="small"
        aria-label={`Walk ${relationLabel(relations, value.name)} the other way, now ${value.inverse ? "inverse" : "forward"}`}
        onPress={() => onChange({ ...value, inverse: !value.inverse })}
      >
        {value.inverse ? "← inverse" : "→ forward"}
      </Button>
    </div>
  );
}
