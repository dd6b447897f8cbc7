// Ctrl+K: ask, go to a graph, a review queue, a report or a run.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { graphsQuery, reportsQuery, runsQuery } from "@/api/queries";
import { queuesQuery } from "@/api/review";
import { Icon } from "@/components/kit/Icon";
import { Modal, type DialogProps } from "@/components/kit/controls";
import { useSettled } from "@/components/kit/hooks";
import { elide, relativeTime } from "@/view/format";
import { useMethodName } from "@/components/kit/useMethodName";
import { reportLabel } from "@/view/reports";
import { pressedKey } from "@/view/keys";
import { PLACES, type Place } from "./places";

interface Entry extends Place {
  end: string;
}

const PAGES: Entry[] = PLACES.map((place) => ({ ...place, end: "page" }));

function PaletteBody({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const query = text.trim();
  const settled = useSettled(query, 150);
  const methodName = useMethodName();
  const graphs = useQuery(graphsQuery);
  const runs = useQuery(runsQuery({ q: settled, page_size: 8 }));
  const queues = useQuery(queuesQuery);
  const reports = useQuery(reportsQuery({ page_size: 100 }));
  const matches = (label: string) => label.toLowerCase().includes(query.toLowerCase());
  const entries: Entry[] = [
    ...(query
      ? [
          {
            id: "q",
            icon: "ask" as const,
            label: `Ask “${elide(query, 60)}”`,
            end: "ask",
            to: `/?q=${encodeURIComponent(query)}`,
          },
        ]
      : []),
    ...PAGES.filter((page) => matches(page.label)),
    ...(graphs.data?.results ?? [])
      .filter((graph) => matches(graph.name))
      .slice(0, 6)
      .map((graph) => ({
        id: `g${graph.id}`,
        icon: "graph" as const,
        label: graph.name,
        end: "graph",
        to: `/graphs/${graph.id}`,
      })),
    ...(queues.data?.results ?? [])
      .filter((queue) => queue.state === "done" && matches(queue.name))
      .slice(0, 5)
      .map((queue) => ({
        id: `v${queue.id}`,
        icon: "check" as const,
        label: queue.name,
        end: "review queue",
        to: `/review/${queue.id}`,
      })),
    ...(reports.data?.results ?? [])
      .map((report) => ({
        id: `r${report.id}`,
        icon: "flask" as const,
        label: `${reportLabel(report, methodName)} on ${report.question_set_name}, ${report.split}`,
        end: relativeTime(report.created_at),
        to: `/experiments/${report.id}`,
      }))
      .filter((entry) => matches(entry.label))
      .slice(0, 5),
    ...(runs.data?.results ?? []).map((run) => ({
      id: run.id,
      icon: "history" as const,
      label: run.question,
      end: relativeTime(run.created_at),
      to: `/runs/${run.id}`,
    })),
  ];
  const at = Math.min(active, entries.length - 1);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate(entry.to);
  };
  return (
    <div className="palette">
      <input
        className="input"
        role="combobox"
        aria-label="Ask, or go to a graph, a queue, a report or a run"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
        autoComplete="off"
        // The dialog was opened to type here.
        autoFocus
        placeholder="Ask, or go to a graph, a queue, a report or a run"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const key = pressedKey(event);
          if (key === "ArrowDown") setActive((at + 1) % entries.length);
          else if (key === "ArrowUp") setActive((at - 1 + entries.length) % entries.length);
          else if (key === "Enter") go(entries[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Results" className="listbox">
        {entries.map((entry, index) => (
          // eslint-disable-next-line jsx-a11y-x/click-events-have-key-events -- the field has the keys of its list
          <li
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            className={`item ${index === at ? "active" : ""}`}
            onMouseMove={() => setActive(index)}
            onClick={() => go(entry)}
          >
            <Icon name={entry.icon} />
            <span className="elide">
              <bdi>{entry.label}</bdi>
            </span>
            <span className="end">{entry.end}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Palette({ isOpen, onClose }: DialogProps) {
  return (
    <Modal title="Go to" isOpen={isOpen} onClose={onClose}>
      <PaletteBody onClose={onClose} />
    </Modal>
  );
}
