// The questions of a queue in their order, narrowed by state and text, each with why it stands where it does.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type RefObject } from "react";
import { queueItemsQuery, ROWS, type ItemRow } from "@/api/review";
import { Pages } from "@/components/kit/Pages";
import { Pick } from "@/components/kit/controls";
import { useSettled } from "@/components/kit/hooks";
import { QueryState } from "@/components/kit/feedback";
import { count, integer } from "@/view/format";
import { pressedKey } from "@/view/keys";
import { Key } from "./KeyButton";

const STATES = [
  { id: "all", label: "All questions" },
  { id: "open", label: "Open" },
  { id: "done", label: "Judged" },
  { id: "broken", label: "Broken" },
];

/** How it stands, in a word, and the tone of it. */
function consensusOf({ state, settled, accord }: ItemRow): [string, string] {
  if (state === "open") return ["", ""];
  if (state === "broken") return ["broken", "bad"];
  if (settled) return ["accepted", "good"];
  return accord === "split" ? ["split", "warn"] : ["judged", "good"];
}

function Row({ row, on, waits, onOpen }: { row: ItemRow; on: boolean; waits: boolean; onOpen: () => void }) {
  const [word, tone] = consensusOf(row);
  return (
    <li className={on ? "on" : ""}>
      <button
        type="button"
        aria-current={on}
        title={`${row.question}\n${row.reason}`}
        onMouseDown={(event) => event.preventDefault()}
        onClick={onOpen}
      >
        <span className="row">
          <span className="muted tabular">{integer(row.position + 1)}</span>
          <span className="grow elide">{row.question}</span>
          {word && <span className={`badge ${tone}`}>{word}</span>}
          {waits && <span className="badge">not sent</span>}
        </span>
        <span className="small muted elide">
          {row.state === "open" && row.submitted > 0 && `${count(row.submitted, "analyst")} so far · `}
          {row.reason}
        </span>
      </button>
    </li>
  );
}

interface Props {
  queue: string;
  current: number | undefined;
  waiting: ReadonlySet<number>;
  search: RefObject<HTMLInputElement | null>;
  onOpen: (item: number) => void;
}

export function QueueList({ queue, current, waiting, search, onOpen }: Props) {
  const [state, setState] = useState("all");
  const [text, setText] = useState("");
  const [page, setPage] = useState(1);
  const q = useSettled(text.trim(), 200);
  const items = useQuery(queueItemsQuery(queue, state === "all" ? "" : state, q, page));
  const rows = items.data?.results ?? [];
  useEffect(() => {
    document.querySelector(".review-list li.on")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <nav className="review-list" aria-label="Questions of this queue">
      <div className="review-filters">
        <Pick
          label="Which questions"
          className="pick-small"
          options={STATES}
          value={state}
          onChange={(id) => {
            setState(id);
            setPage(1);
          }}
        />
        <label className="row">
          <span className="sr-only">Search the questions</span>
          <input
            ref={search}
            className="input"
            type="search"
            placeholder="Search"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setPage(1);
            }}
            onKeyDown={(event) => {
              if (pressedKey(event) === "Escape") event.currentTarget.blur();
            }}
          />
          <Key act="filter" />
        </label>
      </div>
      <QueryState of={items} what="the questions" />
      {items.data && rows.length === 0 && <p className="small muted">No question is like that.</p>}
      <ol>
        {rows.map((row) => (
          <Row
            key={row.id}
            row={row}
            on={row.id === current}
            waits={waiting.has(row.id)}
            onOpen={() => onOpen(row.id)}
          />
        ))}
      </ol>
      <Pages what="questions" page={page} size={ROWS} data={items.data} onPage={setPage} />
    </nav>
  );
}
