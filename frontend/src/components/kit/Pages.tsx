// Where in a long list one is, and the way on and back.
import type { Page } from "@/api/types";
import { integer } from "@/view/format";
import { Button } from "./controls";

interface Props {
  what: string;
  page: number;
  size: number;
  data: Page<unknown>;
  onPage: (page: number) => void;
  back?: string;
  on?: string;
}

export function Pages({ what, page, size, data, onPage, back = "Before", on = "Next" }: Props) {
  if (data.count <= size) return null;
  const first = (page - 1) * size + 1;
  return (
    <nav className="pages" aria-label={`Pages of ${what}`}>
      <Button size="small" isDisabled={!data.previous} onPress={() => onPage(page - 1)}>
        {back}
      </Button>
      <span className="small muted tabular">
        {integer(first)}–{integer(Math.min(first + size - 1, data.count))} of {integer(data.count)}
      </span>
      <Button size="small" isDisabled={!data.next} onPress={() => onPage(page + 1)}>
        {on}
      </Button>
    </nav>
  );
}
