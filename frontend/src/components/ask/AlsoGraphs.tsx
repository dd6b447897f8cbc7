// Other graphs that are asked the same: chosen beside the first, and taken out again by their chips.
import { OTHERS_MAX } from "@/api/across";
import type { Graph } from "@/api/types";
import { ActMenu, Button, IconButton } from "@/components/kit/controls";
import { elide } from "@/view/format";

interface Props {
  graphs: readonly Graph[];
  /** The first, which is picked where one always picks it. */
  first: string | null;
  others: readonly string[];
  onChange: (others: readonly string[]) => void;
}

export function AlsoGraphs({ graphs, first, others, onChange }: Props) {
  const choices = graphs.filter((one) => one.state === "ready" && String(one.id) !== first);
  if (!choices.length && !others.length) return null;
  const full = others.length >= OTHERS_MAX;
  return (
    <span className="also-graphs">
      {others.length > 0 && <span className="small muted">also</span>}
      {others.map((id) => {
        const name = graphs.find((one) => String(one.id) === id)?.name ?? `graph ${id}`;
        return (
          <span key={id} className="chip">
            <bdi>{elide(name, 30)}</bdi>
            <IconButton
              icon="close"
              label={`Do not ask ${name}`}
              onPress={() => onChange(others.filter((one) => one !== id))}
            />
          </span>
        );
      })}
      {choices.length > 0 && (
        <ActMenu
          label="Graphs to ask as well"
          trigger={
            <Button look="plain" size="small" icon="plus" aria-label="Ask another graph as well">
              graph
            </Button>
          }
          acts={choices.map((one) => {
            const id = String(one.id);
            const chosen = others.includes(id);
            return {
              id,
              label: one.name,
              checked: chosen,
              onAction: () => {
                if (chosen) onChange(others.filter((other) => other !== id));
                else if (!full) onChange([...others, id]);
              },
              ...(full && !chosen && { end: `at most ${OTHERS_MAX + 1} graphs` }),
            };
          })}
        />
      )}
    </span>
  );
}
