// Where in a long list one is, and the way on and back.
import type { Page } from "@/api/types";
import { integer } from "@/view/format";
import { Button } from "./controls";
import { useUrlNumber } from "./url";

interface Props {
  what: string;
  page: number;
  size: number;
  /** Undefined until it has come. */
  data: Page<unknown> | undefined;
  onPage: (page: number) => void;
  /** The list begins with the newest. */
  byTime?: boolean;
}

/** The page of a list that the address names, the first without one, and a way to another. */
export function usePage(): [number, (page: number) => void] {
  const [page, setPage] = useUrlNumber("page");
  return [Math.max(page ?? 1, 1), setPage];
}

export function Pages({ what, page, size, data, onPage, byTime }: Props) {
  if (!data || data.count <= size) return null;
  const first = (page - 1) * size + 1;
  return (
    <nav className="pages" aria-label={`Pages of ${what}`}>
      <Button size="small" isDisabled={!data.previous} onPress={() => onPage(page - 1)}>
        {byTime ? "Newer" : "Before"}
      </Button>
      <span className="small muted tabular">
        {integer(first)}–{integer(Math.min(first + size - 1, data.count))} of {integer(data.count)}
      </span>
      <Button size="small" isDisabled={!data.next} onPress={() => onPage(page + 1)}>
        {byTime ? "Older" : "Next"}
      </Button>
    </nav>
  );
}
